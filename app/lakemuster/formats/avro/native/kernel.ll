; Made by scripts/kernels.py with numba 0.68.1 on Python 3.11; not to be edited.
; kernel.py: 98c538614077a059c4fe13c3ef725e16a834970e4c2335a6590bb20546ed1f01

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local noundef range(i32 -1, -2) i32 @lakemuster_run(ptr noalias writeonly captures(none) %retptr, ptr noalias readnone captures(none) %excinfo, ptr readonly captures(none) %arg.data, i64 %arg.data_0, ptr readonly captures(none) %arg.blocks, i64 %arg.blocks_0, ptr readonly captures(none) %arg.program, i64 %arg.program_0, ptr writeonly captures(none) %arg.octets, i64 %arg.octets_0, ptr captures(none) %arg.ints, i64 %arg.ints_0, ptr writeonly captures(none) %arg.longs, i64 %arg.longs_0, ptr readonly captures(none) %arg.starts, i64 %arg.starts_0, ptr readonly captures(none) %arg.rooms, i64 %arg.rooms_0, ptr captures(none) %arg.used, i64 %arg.used_0, ptr captures(none) %arg.stack, i64 %arg.stack_0, ptr captures(none) %arg.slots, i64 %arg.slots_0) local_unnamed_addr #0 {
B0.endif.endif.endif.endi...endif.1.endif:
  %.96.i.i202.i.i = alloca [2 x i64], align 8
  %.96.i1.i.i92.i.i = alloca [2 x i64], align 8
  %.96.i.i93.i.i = alloca [2 x i64], align 8
  %.913.i.i.i = alloca i64, align 8
  %.96.i1.i.i46.i.i = alloca [2 x i64], align 8
  %.96.i.i47.i.i = alloca [2 x i64], align 8
  %.906.i.i.i = alloca [2 x i64], align 8
  %.96.i.i30.i.i.i = alloca [2 x i64], align 8
  %.128.i.i.i.i = alloca [2 x i64], align 8
  %.96.i.i.i.i.i = alloca [2 x i64], align 8
  %.96.i1.i.i1.i.i = alloca [2 x i64], align 8
  %.96.i1.i.i.i.i = alloca [2 x i64], align 8
  %.96.i.i.i = alloca [2 x i64], align 8
  %.1645.i.i = alloca i64, align 8
  %.195.not.i = icmp eq i64 %arg.blocks_0, 0
  br i1 %.195.not.i, label %B352.i, label %B86.preheader.i

B86.preheader.i:                                  ; preds = %B0.endif.endif.endif.endi...endif.1.endif
  %scevgep.i = getelementptr i8, ptr %arg.blocks, i64 8
  %scevgep.i.i = getelementptr i8, ptr %arg.program, i64 24
  %sunkaddr.i.i.i94.i.i = getelementptr inbounds nuw i8, ptr %.96.i1.i.i92.i.i, i64 8
  %sunkaddr180.i104.i.i = getelementptr inbounds nuw i8, ptr %.96.i.i93.i.i, i64 8
  %sunkaddr.i.i.i48.i.i = getelementptr inbounds nuw i8, ptr %.96.i1.i.i46.i.i, i64 8
  %sunkaddr180.i.i.i = getelementptr inbounds nuw i8, ptr %.96.i.i47.i.i, i64 8
  %sunkaddr181.i.i.i = getelementptr inbounds nuw i8, ptr %.906.i.i.i, i64 8
  %sunkaddr577.i.i = getelementptr inbounds nuw i8, ptr %.96.i.i.i, i64 8
  %sunkaddr.i.i206.i.i = getelementptr inbounds nuw i8, ptr %.96.i.i202.i.i, i64 8
  %0 = ptrtoint ptr %arg.octets to i64
  %1 = ptrtoint ptr %arg.data to i64
  %sunkaddr.i.i.i3.i.i = getelementptr inbounds nuw i8, ptr %.96.i1.i.i1.i.i, i64 8
  %sunkaddr.i.i6.i.i.i = getelementptr inbounds nuw i8, ptr %.96.i.i.i.i.i, i64 8
  %sunkaddr.i.i34.i.i.i = getelementptr inbounds nuw i8, ptr %.96.i.i30.i.i.i, i64 8
  %.156.i.i40.i.i.i = getelementptr i8, ptr %arg.slots, i64 48
  %sunkaddr.i28.i.i.i = getelementptr inbounds nuw i8, ptr %.128.i.i.i.i, i64 8
  %sunkaddr.i.i.i.i.i = getelementptr inbounds nuw i8, ptr %.96.i1.i.i.i.i, i64 8
  br label %B86.i

B86.i:                                            ; preds = %B268.i, %B86.preheader.i
  %lsr.iv.i = phi ptr [ %scevgep.i, %B86.preheader.i ], [ %scevgep36.i, %B268.i ]
  %position.2.0.i = phi i64 [ 0, %B86.preheader.i ], [ %position.12.471122.sink.i.i, %B268.i ]
  %block.2.0.i = phi i64 [ 0, %B86.preheader.i ], [ %.551.i, %B268.i ]
  store i64 %block.2.0.i, ptr %arg.stack, align 8
  %scevgep37.i = getelementptr i8, ptr %lsr.iv.i, i64 -8
  %.275.i = load i64, ptr %scevgep37.i, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %.1645.i.i)
  %.186.not.i.i = icmp eq i64 %.275.i, 0
  br i1 %.186.not.i.i, label %B216.i, label %B88.i.i

B88.i.i:                                          ; preds = %B86.i, %B1542.i.i
  %position.10.0.i.i = phi i64 [ %position.11.3.i.i, %B1542.i.i ], [ %position.2.0.i, %B86.i ]
  %record.2.0.i.i = phi i64 [ %.200.i.i, %B1542.i.i ], [ 0, %B86.i ]
  %.200.i.i = add nuw i64 %record.2.0.i.i, 1
  br label %B130.i.i

B130.i.i:                                         ; preds = %go_through.exit.i.i, %B88.i.i
  %position.9.1.i.i = phi i64 [ %position.10.0.i.i, %B88.i.i ], [ %position.2.04.sink.i.i.i, %go_through.exit.i.i ]
  %at.3.1.i.i = phi i64 [ 0, %B88.i.i ], [ %spec.select469.sink.i.i.i, %go_through.exit.i.i ]
  %depth.2.1.i.i = phi i64 [ 0, %B88.i.i ], [ %depth.3.0.sink.i.i.i, %go_through.exit.i.i ]
  %null_until.4.1.i.i = phi i64 [ 0, %B88.i.i ], [ %spec.select1355.i.i, %go_through.exit.i.i ]
  %.238.i.i = icmp ult i64 %at.3.1.i.i, %arg.program_0
  br i1 %.238.i.i, label %B144.preheader.i.i, label %B1542.i.i

B144.preheader.i.i:                               ; preds = %B130.i.i
  %2 = shl i64 %at.3.1.i.i, 5
  %scevgep594.i.i = getelementptr i8, ptr %scevgep.i.i, i64 %2
  br label %B144.i.i

B144.i.i:                                         ; preds = %B1476.i.i, %B144.preheader.i.i
  %lsr.iv.i.i = phi ptr [ %scevgep594.i.i, %B144.preheader.i.i ], [ %scevgep595.i.i, %B1476.i.i ]
  %position.8.2.i.i = phi i64 [ %position.9.1.i.i, %B144.preheader.i.i ], [ %position.12.4.i.i, %B1476.i.i ]
  %at.4.2.i.i = phi i64 [ %at.3.1.i.i, %B144.preheader.i.i ], [ %.1985.i.i, %B1476.i.i ]
  %null_until.3.2.i.i = phi i64 [ %null_until.4.1.i.i, %B144.preheader.i.i ], [ %null_until.5.4.i.i, %B1476.i.i ]
  %scevgep598.i.i = getelementptr i8, ptr %lsr.iv.i.i, i64 -24
  %.293.i.i = load i64, ptr %scevgep598.i.i, align 8
  %scevgep597.i.i = getelementptr i8, ptr %lsr.iv.i.i, i64 -16
  %.342.i.i = load i64, ptr %scevgep597.i.i, align 8
  %scevgep596.i.i = getelementptr i8, ptr %lsr.iv.i.i, i64 -8
  %.391.i.i = load i64, ptr %scevgep596.i.i, align 8
  %.429.i.i = getelementptr i64, ptr %arg.starts, i64 %.342.i.i
  %.430.i.i = load i64, ptr %.429.i.i, align 8
  %.457.i.i = getelementptr i64, ptr %arg.used, i64 %.342.i.i
  %.458.i.i = load i64, ptr %.457.i.i, align 8
  %.459.i.i = add i64 %.458.i.i, %.430.i.i
  %.461.i.i = icmp eq i64 %.293.i.i, 2
  %spec.select.i.i = select i1 %.461.i.i, i64 %.391.i.i, i64 1
  %.515.i.i = add i64 %.458.i.i, %spec.select.i.i
  %.542.i.i = getelementptr i64, ptr %arg.rooms, i64 %.342.i.i
  %.543.i.i = load i64, ptr %.542.i.i, align 8
  %.544.i.i = icmp ugt i64 %.515.i.i, %.543.i.i
  br i1 %.544.i.i, label %B350.i.i, label %B388.i.i

B350.i.i:                                         ; preds = %B144.i.i
  store i64 %.342.i.i, ptr %arg.stack, align 8
  br label %B212.i

B388.i.i:                                         ; preds = %B144.i.i
  %.664.i.i = icmp ugt i64 %.293.i.i, 7
  br i1 %.664.i.i, label %B410.i.i, label %B582.i.i

B410.i.i:                                         ; preds = %B388.i.i
  %.673.i.i = icmp eq i64 %.293.i.i, 9
  %spec.select1355.i.i = select i1 %.673.i.i, i64 0, i64 %null_until.3.2.i.i
  %.698.not.i.i = icmp ult i64 %at.4.2.i.i, %spec.select1355.i.i
  %.153.idx.i.i.i = shl i64 %at.4.2.i.i, 5
  %.153.i.i.i = getelementptr i8, ptr %arg.program, i64 %.153.idx.i.i.i
  %.154.i.i.i = load i64, ptr %.153.i.i.i, align 8
  %.202.i.i.i = getelementptr i8, ptr %.153.i.i.i, i64 8
  %.203.i.i.i = load i64, ptr %.202.i.i.i, align 8
  %.251.i.i.i = getelementptr i8, ptr %.153.i.i.i, i64 16
  %.252.i.i.i = load i64, ptr %.251.i.i.i, align 8
  %.265.i.i.i = icmp eq i64 %.154.i.i.i, 9
  br i1 %.265.i.i.i, label %B116.i.i.i, label %B280.i.i.i

B116.i.i.i:                                       ; preds = %B410.i.i
  %3 = getelementptr i64, ptr %arg.used, i64 %.203.i.i.i
  %.296.i.i.i = getelementptr i8, ptr %3, i64 8
  %.297.i.i.i = load i64, ptr %.296.i.i.i, align 8
  %.298.i.i.i = add i64 %.297.i.i.i, 1
  store i64 %.298.i.i.i, ptr %.296.i.i.i, align 8
  %.352.i.i.i = getelementptr i64, ptr %arg.stack, i64 %depth.2.1.i.i
  %.353.i.i.i = load i64, ptr %.352.i.i.i, align 8
  %.354.i.i.i = add i64 %.353.i.i.i, -1
  store i64 %.354.i.i.i, ptr %.352.i.i.i, align 8
  %.411.not.i.i.i = icmp eq i64 %.354.i.i.i, 0
  br i1 %.411.not.i.i.i, label %B260.i.i.i, label %go_through.exit.i.i

B260.i.i.i:                                       ; preds = %B116.i.i.i
  %.474.i.i.i = add i64 %depth.2.1.i.i, -1
  br label %B280.i.i.i

B280.i.i.i:                                       ; preds = %B260.i.i.i, %B410.i.i
  %depth.3.0.i.i.i = phi i64 [ %.474.i.i.i, %B260.i.i.i ], [ %depth.2.1.i.i, %B410.i.i ]
  br i1 %.698.not.i.i, label %B468.i.i.i, label %B298.i.i.i

B298.i.i.i:                                       ; preds = %B280.i.i.i
  %sunkaddr2.i.i.i = getelementptr i8, ptr %.153.i.i.i, i64 24
  %.540.i.i.i = load i64, ptr %sunkaddr2.i.i.i, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i.i.i)
  %.32.i.i.i.i.i = icmp ult i64 %position.8.2.i.i, %arg.data_0
  br i1 %.32.i.i.i.i.i, label %B68.i.i.i.i.i, label %B156.i.i.i.i.i

B68.i.i.i.i.i:                                    ; preds = %B298.i.i.i
  %.60.i.i.i.i.i = getelementptr i8, ptr %arg.data, i64 %position.8.2.i.i
  %.61.i.i.i.i.i = load i8, ptr %.60.i.i.i.i.i, align 1
  %.67.i.i.i.i.i = icmp sgt i8 %.61.i.i.i.i.i, -1
  br i1 %.67.i.i.i.i.i, label %B132.i.i.i.i.i, label %B156.i.i.i.i.i

B132.i.i.i.i.i:                                   ; preds = %B68.i.i.i.i.i
  %.62.i.i.i.i.i = zext nneg i8 %.61.i.i.i.i.i to i64
  %.75.i.i.i.i.i = add nuw i64 %position.8.2.i.i, 1
  br label %B0.endif.i.i.i.i

B156.i.i.i.i.i:                                   ; preds = %B68.i.i.i.i.i, %B298.i.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %position.8.2.i.i)
  %.112.fca.0.load.i.i.i.i.i = load i64, ptr %.96.i1.i.i.i.i, align 8
  %.112.fca.1.load.i.i.i.i.i = load i64, ptr %sunkaddr.i.i.i.i.i, align 8
  br label %B0.endif.i.i.i.i

B84.i.i.i.i:                                      ; preds = %B0.endif.i.i.i.i
  %.89.i.i.i.i = and i64 %.24.sroa.0.0.ph.i.i.i.i, 1
  %.92.not.i.i.i.i = icmp eq i64 %.89.i.i.i.i, 0
  br i1 %.92.not.i.i.i.i, label %read_count.exit.i.i.i, label %B104.i.i.i.i

B104.i.i.i.i:                                     ; preds = %B84.i.i.i.i
  %.95.i.i.i.i = add nuw i64 %.71.i.i.i.i, 1
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i.i.i)
  %.32.i3.i.i.i.i = icmp ult i64 %.24.sroa.4.0.ph.i.i.i.i, %arg.data_0
  br i1 %.32.i3.i.i.i.i, label %B68.i17.i.i.i.i, label %B156.i4.i.i.i.i

B68.i17.i.i.i.i:                                  ; preds = %B104.i.i.i.i
  %.60.i18.i.i.i.i = getelementptr i8, ptr %arg.data, i64 %.24.sroa.4.0.ph.i.i.i.i
  %.61.i19.i.i.i.i = load i8, ptr %.60.i18.i.i.i.i, align 1
  %.67.i20.i.i.i.i = icmp sgt i8 %.61.i19.i.i.i.i, -1
  br i1 %.67.i20.i.i.i.i, label %B132.i21.i.i.i.i, label %B156.i4.i.i.i.i

B132.i21.i.i.i.i:                                 ; preds = %B68.i17.i.i.i.i
  %.75.i23.i.i.i.i = add nuw i64 %.24.sroa.4.0.ph.i.i.i.i, 1
  br label %read_number.exit25.thread.i.i.i.i

B156.i4.i.i.i.i:                                  ; preds = %B68.i17.i.i.i.i, %B104.i.i.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %.24.sroa.4.0.ph.i.i.i.i)
  %.112.fca.1.load.i15.i.i.i.i = load i64, ptr %sunkaddr.i.i.i.i.i, align 8
  br label %read_number.exit25.thread.i.i.i.i

read_number.exit25.thread.i.i.i.i: ; preds = %B156.i4.i.i.i.i, %B132.i21.i.i.i.i
  %.103.sroa.3.0.ph.i.i.i.i = phi i64 [ %.112.fca.1.load.i15.i.i.i.i, %B156.i4.i.i.i.i ], [ %.75.i23.i.i.i.i, %B132.i21.i.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i.i.i)
  br label %read_count.exit.i.i.i

B0.endif.i.i.i.i:                                 ; preds = %B156.i.i.i.i.i, %B132.i.i.i.i.i
  %.24.sroa.0.0.ph.i.i.i.i = phi i64 [ %.112.fca.0.load.i.i.i.i.i, %B156.i.i.i.i.i ], [ %.62.i.i.i.i.i, %B132.i.i.i.i.i ]
  %.24.sroa.4.0.ph.i.i.i.i = phi i64 [ %.112.fca.1.load.i.i.i.i.i, %B156.i.i.i.i.i ], [ %.75.i.i.i.i.i, %B132.i.i.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i.i.i)
  %.71.i.i.i.i = lshr i64 %.24.sroa.0.0.ph.i.i.i.i, 1
  %.80.not.i.i.i.i = icmp eq i64 %.24.sroa.4.0.ph.i.i.i.i, -1
  br i1 %.80.not.i.i.i.i, label %read_count.exit.i.i.i, label %B84.i.i.i.i

read_count.exit.i.i.i: ; preds = %B0.endif.i.i.i.i, %read_number.exit25.thread.i.i.i.i, %B84.i.i.i.i
  %position.1.2.0.i.i.i.i = phi i64 [ -1, %B0.endif.i.i.i.i ], [ %.24.sroa.4.0.ph.i.i.i.i, %B84.i.i.i.i ], [ %.103.sroa.3.0.ph.i.i.i.i, %read_number.exit25.thread.i.i.i.i ]
  %count.2.0.i.i.i.i = phi i64 [ %.71.i.i.i.i, %B0.endif.i.i.i.i ], [ %.71.i.i.i.i, %B84.i.i.i.i ], [ %.95.i.i.i.i, %read_number.exit25.thread.i.i.i.i ]
  %.164.i.i.i.i = sub i64 %arg.data_0, %position.1.2.0.i.i.i.i
  %.169.i.i.i.i = icmp eq i64 %position.1.2.0.i.i.i.i, -1
  %.173.i.i.i.i = icmp ugt i64 %count.2.0.i.i.i.i, %.164.i.i.i.i
  %or.cond.i.i.i.i = select i1 %.169.i.i.i.i, i1 true, i1 %.173.i.i.i.i
  %.177.i.i.i.i = mul i64 %count.2.0.i.i.i.i, %.540.i.i.i
  %.181.i.i.i.i = icmp ugt i64 %.177.i.i.i.i, %.164.i.i.i.i
  %or.cond71.i.i.i.i = select i1 %or.cond.i.i.i.i, i1 true, i1 %.181.i.i.i.i
  br i1 %or.cond71.i.i.i.i, label %B468.i.i.i, label %B364.i.i.i

B364.i.i.i:                                       ; preds = %read_count.exit.i.i.i
  %.615.not.i.i.i = icmp eq i64 %count.2.0.i.i.i.i, 0
  br i1 %.615.not.i.i.i, label %B468.i.i.i, label %B386.i.i.i

B386.i.i.i:                                       ; preds = %B364.i.i.i
  %.632.i.i.i = add i64 %depth.3.0.i.i.i, 1
  %.665.i.i.i = getelementptr i64, ptr %arg.stack, i64 %.632.i.i.i
  store i64 %count.2.0.i.i.i.i, ptr %.665.i.i.i, align 8
  %.691.i.i.i = add i64 %at.4.2.i.i, 1
  %spec.select468.i.i.i = select i1 %.265.i.i.i, i64 %.252.i.i.i, i64 %.691.i.i.i
  br label %go_through.exit.i.i

B468.i.i.i:                                       ; preds = %B364.i.i.i, %read_count.exit.i.i.i, %B280.i.i.i
  %position.2.04.i.i.i = phi i64 [ %position.1.2.0.i.i.i.i, %B364.i.i.i ], [ %position.8.2.i.i, %B280.i.i.i ], [ -1, %read_count.exit.i.i.i ]
  %4 = getelementptr i64, ptr %arg.used, i64 %.203.i.i.i
  %.754.i.i.i = getelementptr i8, ptr %4, i64 8
  %.755.i.i.i = load i64, ptr %.754.i.i.i, align 8
  %.782.i.i.i = getelementptr i32, ptr %arg.ints, i64 %.459.i.i
  %.783.i.i.i = trunc i64 %.755.i.i.i to i32
  store i32 %.783.i.i.i, ptr %.782.i.i.i, align 4
  %.819.i.i.i = load i64, ptr %4, align 8
  %.820.i.i.i = add i64 %.819.i.i.i, 1
  store i64 %.820.i.i.i, ptr %4, align 8
  %.864.i.i.i = add i64 %at.4.2.i.i, 1
  %spec.select469.i.i.i = select i1 %.265.i.i.i, i64 %.864.i.i.i, i64 %.252.i.i.i
  br label %go_through.exit.i.i

go_through.exit.i.i: ; preds = %B468.i.i.i, %B386.i.i.i, %B116.i.i.i
  %spec.select469.sink.i.i.i = phi i64 [ %spec.select469.i.i.i, %B468.i.i.i ], [ %spec.select468.i.i.i, %B386.i.i.i ], [ %.252.i.i.i, %B116.i.i.i ]
  %depth.3.0.sink.i.i.i = phi i64 [ %depth.3.0.i.i.i, %B468.i.i.i ], [ %.632.i.i.i, %B386.i.i.i ], [ %depth.2.1.i.i, %B116.i.i.i ]
  %position.2.04.sink.i.i.i = phi i64 [ %position.2.04.i.i.i, %B468.i.i.i ], [ %position.1.2.0.i.i.i.i, %B386.i.i.i ], [ %position.8.2.i.i, %B116.i.i.i ]
  %.777.i.i = icmp eq i64 %position.2.04.sink.i.i.i, -1
  br i1 %.777.i.i, label %B212.i, label %B130.i.i

B582.i.i:                                         ; preds = %B388.i.i
  %.880.i.i = icmp eq i64 %.293.i.i, 6
  br i1 %.880.i.i, label %B604.i.i, label %B752.i.i

B604.i.i:                                         ; preds = %B582.i.i
  %.936.i.i = load i64, ptr %lsr.iv.i.i, align 8
  %.972.not.i.i = icmp ult i64 %at.4.2.i.i, %null_until.3.2.i.i
  %.165.i.i.i = add i64 %.458.i.i, 1
  br i1 %.972.not.i.i, label %B952.i.i.i, label %B48.preheader.i.i.i

B48.preheader.i.i.i:                              ; preds = %B604.i.i
  %invariant.gep.i.i.i = getelementptr i8, ptr %arg.octets, i64 %.458.i.i
  %.34.i.i.i.i.i = add i64 %.391.i.i, 1
  %.37.i.i.i.i.i = add i64 %.936.i.i, %.391.i.i
  %.38.i.i.i.i.i = add i64 %.37.i.i.i.i.i, 1
  %.48.i.i.i.i.i = icmp ult i64 %.34.i.i.i.i.i, %.38.i.i.i.i.i
  br label %B48.i.i.i

B48.i.i.i:                                        ; preds = %B922.i.i.i, %B48.preheader.i.i.i
  %position.7.1.i.i.i = phi i64 [ %position.8.2.i.i, %B48.preheader.i.i.i ], [ %position.9.3.i.i.i, %B922.i.i.i ]
  %slot.3.1.i.i.i = phi i64 [ %.391.i.i, %B48.preheader.i.i.i ], [ %.404.sroa.0.2.i.i.i, %B922.i.i.i ]
  %met.3.1.i.i.i = phi i64 [ 0, %B48.preheader.i.i.i ], [ %.612.i.i.i, %B922.i.i.i ]
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i1.i.i)
  %.32.i.i.i4.i.i = icmp ult i64 %position.7.1.i.i.i, %arg.data_0
  br i1 %.32.i.i.i4.i.i, label %B68.i.i.i38.i.i, label %B156.i.i.i5.i.i

B68.i.i.i38.i.i:                                  ; preds = %B48.i.i.i
  %.60.i.i.i39.i.i = getelementptr i8, ptr %arg.data, i64 %position.7.1.i.i.i
  %.61.i.i.i40.i.i = load i8, ptr %.60.i.i.i39.i.i, align 1
  %.67.i.i.i41.i.i = icmp sgt i8 %.61.i.i.i40.i.i, -1
  br i1 %.67.i.i.i41.i.i, label %B132.i.i.i42.i.i, label %B156.i.i.i5.i.i

B132.i.i.i42.i.i:                                 ; preds = %B68.i.i.i38.i.i
  %.62.i.i.i43.i.i = zext nneg i8 %.61.i.i.i40.i.i to i64
  %.75.i.i.i44.i.i = add nuw i64 %position.7.1.i.i.i, 1
  br label %B0.endif.i.i8.i.i

B156.i.i.i5.i.i:                                  ; preds = %B68.i.i.i38.i.i, %B48.i.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i1.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %position.7.1.i.i.i)
  %.112.fca.0.load.i.i.i6.i.i = load i64, ptr %.96.i1.i.i1.i.i, align 8
  %.112.fca.1.load.i.i.i7.i.i = load i64, ptr %sunkaddr.i.i.i3.i.i, align 8
  br label %B0.endif.i.i8.i.i

B84.i.i13.i.i:                                    ; preds = %B0.endif.i.i8.i.i
  %.89.i.i14.i.i = and i64 %.24.sroa.0.0.ph.i.i9.i.i, 1
  %.92.not.i.i15.i.i = icmp eq i64 %.89.i.i14.i.i, 0
  br i1 %.92.not.i.i15.i.i, label %read_count.exit.i23.i.i, label %B104.i.i16.i.i

B104.i.i16.i.i:                                   ; preds = %B84.i.i13.i.i
  %.95.i.i17.i.i = add nuw i64 %.71.i.i11.i.i, 1
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i1.i.i)
  %.32.i3.i.i18.i.i = icmp ult i64 %.24.sroa.4.0.ph.i.i10.i.i, %arg.data_0
  br i1 %.32.i3.i.i18.i.i, label %B68.i17.i.i32.i.i, label %B156.i4.i.i19.i.i

B68.i17.i.i32.i.i:                                ; preds = %B104.i.i16.i.i
  %.60.i18.i.i33.i.i = getelementptr i8, ptr %arg.data, i64 %.24.sroa.4.0.ph.i.i10.i.i
  %.61.i19.i.i34.i.i = load i8, ptr %.60.i18.i.i33.i.i, align 1
  %.67.i20.i.i35.i.i = icmp sgt i8 %.61.i19.i.i34.i.i, -1
  br i1 %.67.i20.i.i35.i.i, label %B132.i21.i.i36.i.i, label %B156.i4.i.i19.i.i

B132.i21.i.i36.i.i:                               ; preds = %B68.i17.i.i32.i.i
  %.75.i23.i.i37.i.i = add nuw i64 %.24.sroa.4.0.ph.i.i10.i.i, 1
  br label %read_number.exit25.thread.i.i21.i.i

B156.i4.i.i19.i.i:                                ; preds = %B68.i17.i.i32.i.i, %B104.i.i16.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i1.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %.24.sroa.4.0.ph.i.i10.i.i)
  %.112.fca.1.load.i15.i.i20.i.i = load i64, ptr %sunkaddr.i.i.i3.i.i, align 8
  br label %read_number.exit25.thread.i.i21.i.i

read_number.exit25.thread.i.i21.i.i: ; preds = %B156.i4.i.i19.i.i, %B132.i21.i.i36.i.i
  %.103.sroa.3.0.ph.i.i22.i.i = phi i64 [ %.112.fca.1.load.i15.i.i20.i.i, %B156.i4.i.i19.i.i ], [ %.75.i23.i.i37.i.i, %B132.i21.i.i36.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i1.i.i)
  br label %read_count.exit.i23.i.i

B0.endif.i.i8.i.i:                                ; preds = %B156.i.i.i5.i.i, %B132.i.i.i42.i.i
  %.24.sroa.0.0.ph.i.i9.i.i = phi i64 [ %.112.fca.0.load.i.i.i6.i.i, %B156.i.i.i5.i.i ], [ %.62.i.i.i43.i.i, %B132.i.i.i42.i.i ]
  %.24.sroa.4.0.ph.i.i10.i.i = phi i64 [ %.112.fca.1.load.i.i.i7.i.i, %B156.i.i.i5.i.i ], [ %.75.i.i.i44.i.i, %B132.i.i.i42.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i1.i.i)
  %.71.i.i11.i.i = lshr i64 %.24.sroa.0.0.ph.i.i9.i.i, 1
  %.80.not.i.i12.i.i = icmp eq i64 %.24.sroa.4.0.ph.i.i10.i.i, -1
  br i1 %.80.not.i.i12.i.i, label %read_count.exit.i23.i.i, label %B84.i.i13.i.i

read_count.exit.i23.i.i: ; preds = %B0.endif.i.i8.i.i, %read_number.exit25.thread.i.i21.i.i, %B84.i.i13.i.i
  %position.1.2.0.i.i24.i.i = phi i64 [ -1, %B0.endif.i.i8.i.i ], [ %.24.sroa.4.0.ph.i.i10.i.i, %B84.i.i13.i.i ], [ %.103.sroa.3.0.ph.i.i22.i.i, %read_number.exit25.thread.i.i21.i.i ]
  %count.2.0.i.i25.i.i = phi i64 [ %.71.i.i11.i.i, %B0.endif.i.i8.i.i ], [ %.71.i.i11.i.i, %B84.i.i13.i.i ], [ %.95.i.i17.i.i, %read_number.exit25.thread.i.i21.i.i ]
  %.164.i.i26.i.i = sub i64 %arg.data_0, %position.1.2.0.i.i24.i.i
  %.169.i.i27.i.i = icmp eq i64 %position.1.2.0.i.i24.i.i, -1
  %.173.i1.i.i.i = icmp ugt i64 %count.2.0.i.i25.i.i, %.164.i.i26.i.i
  %.177.i.i28.i.i = shl i64 %count.2.0.i.i25.i.i, 1
  %.181.i.i29.i.i = icmp ugt i64 %.177.i.i28.i.i, %.164.i.i26.i.i
  %5 = or i1 %.173.i1.i.i.i, %.181.i.i29.i.i
  %or.cond71.i.i30.i.i = select i1 %.169.i.i27.i.i, i1 true, i1 %5
  br i1 %or.cond71.i.i30.i.i, label %B212.i, label %B134.i.i.i

B134.i.i.i:                                       ; preds = %read_count.exit.i23.i.i
  %.306.i.i.i = icmp eq i64 %count.2.0.i.i25.i.i, 0
  br i1 %.306.i.i.i, label %B952.i.i.i, label %B184.i.i.i

B184.i.i.i:                                       ; preds = %B134.i.i.i, %B922.i.i.i
  %position.10.1.i.i.i = phi i64 [ %position.9.3.i.i.i, %B922.i.i.i ], [ %position.1.2.0.i.i24.i.i, %B134.i.i.i ]
  %slot.2.1.i.i.i = phi i64 [ %.404.sroa.0.2.i.i.i, %B922.i.i.i ], [ %slot.3.1.i.i.i, %B134.i.i.i ]
  %met.2.1.i.i.i = phi i64 [ %.612.i.i.i, %B922.i.i.i ], [ %met.3.1.i.i.i, %B134.i.i.i ]
  %count.2.1.i.i.i = phi i64 [ %.391.i.i.i, %B922.i.i.i ], [ %count.2.0.i.i25.i.i, %B134.i.i.i ]
  %.391.i.i.i = add i64 %count.2.1.i.i.i, -1
  %.idx2.i.i.i.i = shl i64 %slot.2.1.i.i.i, 6
  %6 = getelementptr i8, ptr %arg.slots, i64 %.idx2.i.i.i.i
  %.95.i2.i.i.i = getelementptr i8, ptr %6, i64 40
  %.96.i.i.i.i = load i64, ptr %.95.i2.i.i.i, align 8
  %.118.not.i.i.i.i = icmp ne i64 %.96.i.i.i.i, %.391.i.i
  %.141.i.i.i.i = sub i64 %arg.data_0, %position.10.1.i.i.i
  %.142.i.i.i.i = icmp ugt i64 %.141.i.i.i.i, 15
  %or.cond261.i.i.i.i = select i1 %.118.not.i.i.i.i, i1 %.142.i.i.i.i, i1 false
  br i1 %or.cond261.i.i.i.i, label %B246.i.i.i.i, label %B302.i.i.i.i

B246.i.i.i.i:                                     ; preds = %B184.i.i.i
  %.41.i.i.i.i.i = getelementptr i8, ptr %arg.data, i64 %position.10.1.i.i.i
  %.42.i.i.i.i.i = load i64, ptr %.41.i.i.i.i.i, align 1
  %.221.idx.i.i.i.i = shl i64 %.96.i.i.i.i, 6
  %.221.i.i.i.i = getelementptr i8, ptr %arg.slots, i64 %.221.idx.i.i.i.i
  %.222.i.i.i.i = load i64, ptr %.221.i.i.i.i, align 8
  %.8.i.i.i.i.i = lshr i64 %.222.i.i.i.i, 56
  %.13.i.i.i.i.i = xor i64 %.222.i.i.i.i, %.42.i.i.i.i.i
  %.15.i.i.i.i.i = sub nsw i64 64, %.8.i.i.i.i.i
  %.16.i.i.i.i.i = shl i64 %.13.i.i.i.i.i, %.15.i.i.i.i.i
  %.17.not.i.i.i.i.i = icmp ne i64 %.16.i.i.i.i.i, 0
  %.267.not12.i.i.i.i = icmp eq i64 %.8.i.i.i.i.i, 0
  %.267.not.i.i.i.i = or i1 %.267.not12.i.i.i.i, %.17.not.i.i.i.i.i
  br i1 %.267.not.i.i.i.i, label %B302.i.i.i.i, label %B268.i.i.i.i

B268.i.i.i.i:                                     ; preds = %B246.i.i.i.i
  %.35.i.i.i.i.i = lshr i64 %.42.i.i.i.i.i, %.8.i.i.i.i.i
  %.288.i.i.i.i = lshr i64 %.222.i.i.i.i, 59
  %.290.i.i.i.i = add i64 %.288.i.i.i.i, %position.10.1.i.i.i
  br label %read_key.exit.i.i.i

B302.i.i.i.i:                                     ; preds = %B246.i.i.i.i, %B184.i.i.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i.i.i.i.i)
  %.32.i.i3.i.i.i = icmp ugt i64 %arg.data_0, %position.10.1.i.i.i
  br i1 %.32.i.i3.i.i.i, label %B68.i.i9.i.i.i, label %B156.i.i4.i.i.i

B68.i.i9.i.i.i:                                   ; preds = %B302.i.i.i.i
  %.60.i.i10.i.i.i = getelementptr i8, ptr %arg.data, i64 %position.10.1.i.i.i
  %.61.i.i11.i.i.i = load i8, ptr %.60.i.i10.i.i.i, align 1
  %.67.i.i12.i.i.i = icmp sgt i8 %.61.i.i11.i.i.i, -1
  br i1 %.67.i.i12.i.i.i, label %B132.i.i13.i.i.i, label %B156.i.i4.i.i.i

B132.i.i13.i.i.i:                                 ; preds = %B68.i.i9.i.i.i
  %.62.i.i14.i.i.i = zext nneg i8 %.61.i.i11.i.i.i to i64
  %.75.i.i15.i.i.i = add nuw i64 %position.10.1.i.i.i, 1
  br label %read_number.exit.thread.i.i.i.i

B156.i.i4.i.i.i:                                  ; preds = %B68.i.i9.i.i.i, %B302.i.i.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i.i.i.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 range(i64 0, -1) %position.10.1.i.i.i)
  %.112.fca.0.load.i.i5.i.i.i = load i64, ptr %.96.i.i.i.i.i, align 8
  %.112.fca.1.load.i.i7.i.i.i = load i64, ptr %sunkaddr.i.i6.i.i.i, align 8
  br label %read_number.exit.thread.i.i.i.i

read_number.exit.thread.i.i.i.i: ; preds = %B156.i.i4.i.i.i, %B132.i.i13.i.i.i
  %.329.sroa.0.0.ph.i.i.i.i = phi i64 [ %.112.fca.0.load.i.i5.i.i.i, %B156.i.i4.i.i.i ], [ %.62.i.i14.i.i.i, %B132.i.i13.i.i.i ]
  %.329.sroa.4.0.ph.i.i.i.i = phi i64 [ %.112.fca.1.load.i.i7.i.i.i, %B156.i.i4.i.i.i ], [ %.75.i.i15.i.i.i, %B132.i.i13.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i.i.i.i.i)
  %.377.i.i.i.i = icmp eq i64 %.329.sroa.4.0.ph.i.i.i.i, -1
  %.380.i.i.i.i = icmp ugt i64 %.329.sroa.0.0.ph.i.i.i.i, 4294967295
  %or.cond.i8.i.i.i = select i1 %.377.i.i.i.i, i1 true, i1 %.380.i.i.i.i
  br i1 %or.cond.i8.i.i.i, label %B212.i, label %B426.i.i.i.i

B426.i.i.i.i:                                     ; preds = %read_number.exit.thread.i.i.i.i
  br i1 %.48.i.i.i.i.i, label %B62.i.i.i.i.i, label %B164.i.i.i.i.i

B62.i.i.i.i.i:                                    ; preds = %B426.i.i.i.i, %B62.i.i.i.i.i
  %high.2.0.i.i.i.i.i = phi i64 [ %spec.select.i.i.i.i.i, %B62.i.i.i.i.i ], [ %.38.i.i.i.i.i, %B426.i.i.i.i ]
  %low.2.0.i.i.i.i.i = phi i64 [ %spec.select106.i.i.i.i.i, %B62.i.i.i.i.i ], [ %.34.i.i.i.i.i, %B426.i.i.i.i ]
  %.57.i.i.i.i.i = add i64 %low.2.0.i.i.i.i.i, %high.2.0.i.i.i.i.i
  %.58.i.i.i.i.i = lshr i64 %.57.i.i.i.i.i, 1
  %.idx.i.i.i.i = shl i64 %.58.i.i.i.i.i, 6
  %7 = getelementptr i8, ptr %arg.slots, i64 %.idx.i.i.i.i
  %.107.i.i.i.i.i = getelementptr i8, ptr %7, i64 8
  %.108.i.i.i.i.i = load i64, ptr %.107.i.i.i.i.i, align 8
  %.112.i.i.i.i.i = icmp ult i64 %.108.i.i.i.i.i, %.329.sroa.0.0.ph.i.i.i.i
  %.123.i.i.i.i.i = add nuw i64 %.58.i.i.i.i.i, 1
  %spec.select.i.i.i.i.i = select i1 %.112.i.i.i.i.i, i64 %high.2.0.i.i.i.i.i, i64 %.58.i.i.i.i.i
  %spec.select106.i.i.i.i.i = select i1 %.112.i.i.i.i.i, i64 %.123.i.i.i.i.i, i64 %low.2.0.i.i.i.i.i
  %.154.i.i.i.i.i = icmp ult i64 %spec.select106.i.i.i.i.i, %spec.select.i.i.i.i.i
  br i1 %.154.i.i.i.i.i, label %B62.i.i.i.i.i, label %B164.i.i.i.i.i

B164.i.i.i.i.i:                                   ; preds = %B62.i.i.i.i.i, %B426.i.i.i.i
  %low.4.1.i.i.i.i.i = phi i64 [ %.34.i.i.i.i.i, %B426.i.i.i.i ], [ %spec.select106.i.i.i.i.i, %B62.i.i.i.i.i ]
  %.175.not.i.i.i.i.i = icmp ugt i64 %low.4.1.i.i.i.i.i, %.37.i.i.i.i.i
  br i1 %.175.not.i.i.i.i.i, label %B212.i, label %B182.i.i.i.i.i

B182.i.i.i.i.i:                                   ; preds = %B164.i.i.i.i.i
  %.idx1.i.i.i.i = shl i64 %low.4.1.i.i.i.i.i, 6
  %8 = getelementptr i8, ptr %arg.slots, i64 %.idx1.i.i.i.i
  %.222.i.i.i.i.i = getelementptr i8, ptr %8, i64 8
  %.223.i.i.i.i.i = load i64, ptr %.222.i.i.i.i.i, align 8
  %.234.i.i.i.i.i = icmp ne i64 %.223.i.i.i.i.i, %.329.sroa.0.0.ph.i.i.i.i
  %.460.i.i.i.i = icmp eq i64 %low.4.1.i.i.i.i.i, %.391.i.i
  %or.cond1.i.i.i.i = or i1 %.460.i.i.i.i, %.234.i.i.i.i.i
  br i1 %or.cond1.i.i.i.i, label %B212.i, label %B516.i.i.i.i

B516.i.i.i.i:                                     ; preds = %B182.i.i.i.i.i
  store i64 %low.4.1.i.i.i.i.i, ptr %.95.i2.i.i.i, align 8
  br label %read_key.exit.i.i.i

read_key.exit.i.i.i: ; preds = %B516.i.i.i.i, %B268.i.i.i.i
  %.404.sroa.7.2.i.i.i = phi i64 [ %.290.i.i.i.i, %B268.i.i.i.i ], [ %.329.sroa.4.0.ph.i.i.i.i, %B516.i.i.i.i ]
  %.404.sroa.12.2.i.i.i = phi i64 [ %.35.i.i.i.i.i, %B268.i.i.i.i ], [ 0, %B516.i.i.i.i ]
  %.404.sroa.17.2.i.i.i = phi i64 [ %.8.i.i.i.i.i, %B268.i.i.i.i ], [ 0, %B516.i.i.i.i ]
  %.404.sroa.0.2.i.i.i = phi i64 [ %.96.i.i.i.i, %B268.i.i.i.i ], [ %low.4.1.i.i.i.i.i, %B516.i.i.i.i ]
  %.467.i.i.i = icmp ugt i64 %.404.sroa.7.2.i.i.i, -4
  br i1 %.467.i.i.i, label %B1442.endif.i.i, label %B280.i31.i.i

B280.i31.i.i:                                     ; preds = %read_key.exit.i.i.i
  %.idx.i.i.i = shl i64 %.404.sroa.0.2.i.i.i, 6
  %9 = getelementptr i8, ptr %arg.slots, i64 %.idx.i.i.i
  %.586.i.i.i = getelementptr i8, ptr %9, i64 56
  %.587.i.i.i = load i64, ptr %.586.i.i.i, align 8
  %.591.i.i.i = icmp ne i64 %.587.i.i.i, %.165.i.i.i
  %spec.select972.i.i.i = zext i1 %.591.i.i.i to i64
  %.612.i.i.i = add i64 %met.2.1.i.i.i, %spec.select972.i.i.i
  store i64 %.165.i.i.i, ptr %.586.i.i.i, align 8
  %.715.i.i.i = getelementptr i8, ptr %9, i64 16
  %.716.i.i.i = load i64, ptr %.715.i.i.i, align 8
  %.764.i.i.i = getelementptr i8, ptr %9, i64 24
  %.765.i.i.i = load i64, ptr %.764.i.i.i, align 8
  %.800.i.i.i = getelementptr i64, ptr %arg.starts, i64 %.765.i.i.i
  %.801.i.i.i = load i64, ptr %.800.i.i.i, align 8
  %.803.i.i.i = add i64 %.801.i.i.i, %.458.i.i
  %.852.i.i.i = getelementptr i8, ptr %9, i64 32
  %.853.i.i.i = load i64, ptr %.852.i.i.i, align 8
  %.856.not.i.i.i = icmp eq i64 %.853.i.i.i, 0
  br i1 %.856.not.i.i.i, label %B564.i.i.i, label %B510.i.i.i

B510.i.i.i:                                       ; preds = %B280.i31.i.i
  %sunkaddr303.i.i.i = shl i64 %.765.i.i.i, 3
  %sunkaddr304.i.i.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr303.i.i.i
  %sunkaddr305.i.i.i = getelementptr i8, ptr %sunkaddr304.i.i.i, i64 -8
  %.888.i.i.i = load i64, ptr %sunkaddr305.i.i.i, align 8
  %gep.i.i.i = getelementptr i8, ptr %invariant.gep.i.i.i, i64 %.888.i.i.i
  store i8 1, ptr %gep.i.i.i, align 1
  br label %B564.i.i.i

B564.i.i.i:                                       ; preds = %B510.i.i.i, %B280.i31.i.i
  %.923.i.i.i = icmp ult i64 %.716.i.i.i, 2
  br i1 %.923.i.i.i, label %B586.i.i.i, label %B634.i.i.i

B586.i.i.i:                                       ; preds = %B564.i.i.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.128.i.i.i.i)
  %.8.i.i16.i.i.i = and i64 %.404.sroa.12.2.i.i.i, -9187201950435737472
  %.9.i.i.i.i.i = xor i64 %.8.i.i16.i.i.i, -9187201950435737472
  %.10.i.i.i.i.i = or i64 %.404.sroa.12.2.i.i.i, 9187201950435737471
  %.11.i.i.i.i.i = add nuw i64 %.10.i.i.i.i.i, 1
  %.12.i.i.i.i.i = and i64 %.9.i.i.i.i.i, %.11.i.i.i.i.i
  %.50.not.i.i.i.i.i = icmp eq i64 %.404.sroa.17.2.i.i.i, 0
  br i1 %.50.not.i.i.i.i.i, label %B258.i.i.i.i.i, label %B210.i.i.i.i.i

B210.i.i.i.i.i:                                   ; preds = %B586.i.i.i
  %.13.i.i17.i.i.i = lshr exact i64 %.12.i.i.i.i.i, 7
  %.14.i.i.i.i.i = mul i64 %.13.i.i17.i.i.i, 283686952306183
  %.15.i.i18.i.i.i = lshr i64 %.14.i.i.i.i.i, 56
  %.16.i.i19.i.i.i = add nuw nsw i64 %.15.i.i18.i.i.i, 1
  %.56.i.i.i.i.i = shl nuw nsw i64 %.16.i.i19.i.i.i, 3
  %.58.i.i20.i.i.i = add nuw nsw i64 %.56.i.i.i.i.i, %.404.sroa.17.2.i.i.i
  %.61.i.i21.i.i.i = icmp samesign ult i64 %.58.i.i20.i.i.i, 65
  br i1 %.61.i.i21.i.i.i, label %B0.endif.i22.i.i.i, label %B258.i.i.i.i.i

B258.i.i.i.i.i:                                   ; preds = %B210.i.i.i.i.i, %B586.i.i.i
  br label %B0.endif.i22.i.i.i

B64.i.i.i.i:                                      ; preds = %B0.endif.i22.i.i.i
  call fastcc void @read_wide(ptr nonnull %.128.i.i.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 range(i64 0, -3) %.404.sroa.7.2.i.i.i)
  %.144.fca.1.load.i.i.i.i = load i64, ptr %sunkaddr.i28.i.i.i, align 8
  %.144.fca.0.load.i.i.i.i = load i64, ptr %.128.i.i.i.i, align 8
  %.173.i29.i.i.i = icmp eq i64 %.144.fca.1.load.i.i.i.i, -1
  br i1 %.173.i29.i.i.i, label %read_integer.exit.i.i.i, label %B138.i.i.i.i

B138.i.i.i.i:                                     ; preds = %B0.endif.i22.i.i.i, %B64.i.i.i.i
  %position.2.0.i.i.i.i = phi i64 [ %.144.fca.1.load.i.i.i.i, %B64.i.i.i.i ], [ %.404.sroa.7.2.i.i.i, %B0.endif.i22.i.i.i ]
  %number.2.0.i.i.i.i = phi i64 [ %.144.fca.0.load.i.i.i.i, %B64.i.i.i.i ], [ %.17.i.i.i.i.i.i, %B0.endif.i22.i.i.i ]
  %.257.i.i.i.i = load i64, ptr %.715.i.i.i, align 8
  %.260.i.i.i.i = icmp eq i64 %.257.i.i.i.i, 1
  br i1 %.260.i.i.i.i, label %B186.endif.i.i.i.i, label %B224.i.i.i.i

B224.i.i.i.i:                                     ; preds = %B138.i.i.i.i
  %.346.i.i.i.i = icmp ugt i64 %number.2.0.i.i.i.i, 4294967295
  br i1 %.346.i.i.i.i, label %B246.endif.i.i.i.i, label %B290.endif.i.i.i.i

B342.i.i.i.i:                                     ; preds = %B290.endif.i.i.i.i, %B186.endif.i.i.i.i
  %.466.i.i.i.i = add i64 %position.2.0.i.i.i.i, %"$phi270.1.2.0.i.i.i.i.i"
  br label %read_integer.exit.i.i.i

B0.endif.i22.i.i.i:                               ; preds = %B258.i.i.i.i.i, %B210.i.i.i.i.i
  %"$phi270.1.2.0.i.i.i.i.i" = phi i64 [ 0, %B258.i.i.i.i.i ], [ %.16.i.i19.i.i.i, %B210.i.i.i.i.i ]
  %.21.i.i.i.i.i = add i64 %.12.i.i.i.i.i, -1
  %.22.i.i.i.i.i = and i64 %.21.i.i.i.i.i, %.404.sroa.12.2.i.i.i
  %.6.i.i.i.i.i.i = lshr i64 %.22.i.i.i.i.i, 1
  %.7.i.i.i.i.i.i = and i64 %.6.i.i.i.i.i.i, 4575727041462157184
  %.8.i.i.i.i.i.i = and i64 %.22.i.i.i.i.i, 35747867511423103
  %.9.i.i.i.i.i.i = or disjoint i64 %.7.i.i.i.i.i.i, %.8.i.i.i.i.i.i
  %.10.i.i.i.i.i.i = lshr i64 %.9.i.i.i.i.i.i, 2
  %.11.i.i.i.i.i.i = and i64 %.10.i.i.i.i.i.i, 1152851136131088384
  %.12.i.i.i.i.i.i = and i64 %.9.i.i.i.i.i.i, 70364449226751
  %.13.i.i.i.i.i.i = or disjoint i64 %.11.i.i.i.i.i.i, %.12.i.i.i.i.i.i
  %.14.i.i.i.i.i.i = lshr i64 %.13.i.i.i.i.i.i, 4
  %.15.i.i.i.i.i.i = and i64 %.14.i.i.i.i.i.i, 72057593769492480
  %.16.i.i.i.i.i.i = and i64 %.13.i.i.i.i.i.i, 268435455
  %.17.i.i.i.i.i.i = or disjoint i64 %.15.i.i.i.i.i.i, %.16.i.i.i.i.i.i
  %.123.i.i.i.i = icmp eq i64 %"$phi270.1.2.0.i.i.i.i.i", 0
  br i1 %.123.i.i.i.i, label %B64.i.i.i.i, label %B138.i.i.i.i

B186.endif.i.i.i.i:                               ; preds = %B138.i.i.i.i
  %.5.i.i.i.i.i = lshr i64 %number.2.0.i.i.i.i, 1
  %.6.i.i.i.i.i = and i64 %number.2.0.i.i.i.i, 1
  %.8.i1.i.i.i.i = sub nsw i64 0, %.6.i.i.i.i.i
  %.9.i2.i.i.i.i = xor i64 %.5.i.i.i.i.i, %.8.i1.i.i.i.i
  %.330.i.i.i.i = getelementptr i64, ptr %arg.longs, i64 %.803.i.i.i
  store i64 %.9.i2.i.i.i.i, ptr %.330.i.i.i.i, align 8
  br label %B342.i.i.i.i

B246.endif.i.i.i.i:                               ; preds = %B224.i.i.i.i
  %sunkaddr9.i.i.i.i = getelementptr i8, ptr %9, i64 48
  %.68.i.i24.i.i.i = load i64, ptr %sunkaddr9.i.i.i.i, align 8
  %.69.i.i25.i.i.i = or i64 %.68.i.i24.i.i.i, 1
  store i64 %.69.i.i25.i.i.i, ptr %sunkaddr9.i.i.i.i, align 8
  %.157.i.i26.i.i.i = load i64, ptr %.156.i.i40.i.i.i, align 8
  %.158.i.i27.i.i.i = or i64 %.157.i.i26.i.i.i, 1
  store i64 %.158.i.i27.i.i.i, ptr %.156.i.i40.i.i.i, align 8
  br label %B290.endif.i.i.i.i

B290.endif.i.i.i.i:                               ; preds = %B246.endif.i.i.i.i, %B224.i.i.i.i
  %.5.i3.i.i.i.i = lshr i64 %number.2.0.i.i.i.i, 1
  %.6.i4.i.i.i.i = and i64 %number.2.0.i.i.i.i, 1
  %.8.i5.i.i.i.i = sub nsw i64 0, %.6.i4.i.i.i.i
  %.9.i6.i.i.i.i = xor i64 %.5.i3.i.i.i.i, %.8.i5.i.i.i.i
  %.453.i.i.i.i = getelementptr i32, ptr %arg.ints, i64 %.803.i.i.i
  %.454.i.i.i.i = trunc i64 %.9.i6.i.i.i.i to i32
  store i32 %.454.i.i.i.i, ptr %.453.i.i.i.i, align 4
  br label %B342.i.i.i.i

read_integer.exit.i.i.i: ; preds = %B342.i.i.i.i, %B64.i.i.i.i
  %storemerge.i.i.i.i = phi i64 [ %.466.i.i.i.i, %B342.i.i.i.i ], [ -1, %B64.i.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.128.i.i.i.i)
  br label %B896.i.i.i

B634.i.i.i:                                       ; preds = %B564.i.i.i
  %.988.not.i.i.i = icmp eq i64 %.404.sroa.17.2.i.i.i, 0
  br i1 %.988.not.i.i.i, label %B842.i.i.i, label %B656.i.i.i

B656.i.i.i:                                       ; preds = %B634.i.i.i
  switch i64 %.716.i.i.i, label %B842.i.i.i [
    i64 3, label %B678.endif.i.i.i
    i64 2, label %B782.endif.i.i.i
  ]

B842.i.i.i:                                       ; preds = %B656.i.i.i, %B634.i.i.i
  %.not.i.i.i = icmp eq i64 %.587.i.i.i, %.165.i.i.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i.i30.i.i.i)
  %.32.i.i31.i.i.i = icmp ult i64 %.404.sroa.7.2.i.i.i, %arg.data_0
  br i1 %.32.i.i31.i.i.i, label %B68.i.i48.i.i.i, label %B156.i.i32.i.i.i

B68.i.i48.i.i.i:                                  ; preds = %B842.i.i.i
  %.60.i.i49.i.i.i = getelementptr i8, ptr %arg.data, i64 %.404.sroa.7.2.i.i.i
  %.61.i.i50.i.i.i = load i8, ptr %.60.i.i49.i.i.i, align 1
  %.67.i.i51.i.i.i = icmp sgt i8 %.61.i.i50.i.i.i, -1
  br i1 %.67.i.i51.i.i.i, label %B132.i.i52.i.i.i, label %B156.i.i32.i.i.i

B132.i.i52.i.i.i:                                 ; preds = %B68.i.i48.i.i.i
  %.62.i.i53.i.i.i = zext nneg i8 %.61.i.i50.i.i.i to i64
  %.75.i.i54.i.i.i = add nuw i64 %.404.sroa.7.2.i.i.i, 1
  br label %read_number.exit.thread.i36.i.i.i

B156.i.i32.i.i.i:                                 ; preds = %B68.i.i48.i.i.i, %B842.i.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i.i30.i.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 range(i64 0, -3) %.404.sroa.7.2.i.i.i)
  %.112.fca.0.load.i.i33.i.i.i = load i64, ptr %.96.i.i30.i.i.i, align 8
  %.112.fca.1.load.i.i35.i.i.i = load i64, ptr %sunkaddr.i.i34.i.i.i, align 8
  br label %read_number.exit.thread.i36.i.i.i

read_number.exit.thread.i36.i.i.i: ; preds = %B156.i.i32.i.i.i, %B132.i.i52.i.i.i
  %.157.sroa.4.0.ph.i.i.i.i = phi i64 [ %.112.fca.1.load.i.i35.i.i.i, %B156.i.i32.i.i.i ], [ %.75.i.i54.i.i.i, %B132.i.i52.i.i.i ]
  %.157.sroa.0.0.ph.i.i.i.i = phi i64 [ %.112.fca.0.load.i.i33.i.i.i, %B156.i.i32.i.i.i ], [ %.62.i.i53.i.i.i, %B132.i.i52.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i.i30.i.i.i)
  %.200.i.i.i.i = lshr i64 %.157.sroa.0.0.ph.i.i.i.i, 1
  %.205.i.i.i.i = icmp eq i64 %.157.sroa.4.0.ph.i.i.i.i, -1
  %.208.i.i.i.i = and i64 %.157.sroa.0.0.ph.i.i.i.i, 1
  %.211.i.i.i.i = icmp ne i64 %.208.i.i.i.i, 0
  %.224.i.i.i.i = sub i64 %arg.data_0, %.157.sroa.4.0.ph.i.i.i.i
  %.226.i.i.i.i = icmp ugt i64 %.200.i.i.i.i, %.224.i.i.i.i
  %10 = or i1 %.211.i.i.i.i, %.226.i.i.i.i
  %or.cond704.i.i.i.i = select i1 %.205.i.i.i.i, i1 true, i1 %10
  br i1 %or.cond704.i.i.i.i, label %B212.i, label %B188.i.i.i.i

B188.i.i.i.i:                                     ; preds = %read_number.exit.thread.i36.i.i.i
  %.335.i.i.i.i = load i64, ptr %.715.i.i.i, align 8
  %.384.i.i.i.i = load i64, ptr %.764.i.i.i, align 8
  %.395.i.i.i.i = icmp eq i64 %.335.i.i.i.i, 4
  br i1 %.395.i.i.i.i, label %B286.i.i.i.i, label %B518.i.i.i.i

B286.i.i.i.i:                                     ; preds = %B188.i.i.i.i
  br i1 %.not.i.i.i, label %B290.i.i.i.i, label %B348.i.i.i.i

B290.i.i.i.i:                                     ; preds = %B286.i.i.i.i
  %11 = getelementptr i32, ptr %arg.ints, i64 %.803.i.i.i
  %.444.i.i.i.i = getelementptr i8, ptr %11, i64 -4
  %.445.i.i.i.i = load i32, ptr %.444.i.i.i.i, align 4
  %.446.i.i.i.i = zext i32 %.445.i.i.i.i to i64
  %.pre.i.i.i.i = shl i64 %.384.i.i.i.i, 3
  br label %B362.i.i.i.i

B348.i.i.i.i:                                     ; preds = %B286.i.i.i.i
  %sunkaddr.i46.i.i.i = shl i64 %.384.i.i.i.i, 3
  %sunkaddr13.i.i.i.i = getelementptr i8, ptr %arg.used, i64 %sunkaddr.i46.i.i.i
  %sunkaddr14.i47.i.i.i = getelementptr i8, ptr %sunkaddr13.i.i.i.i, i64 8
  %.478.i.i.i.i = load i64, ptr %sunkaddr14.i47.i.i.i, align 8
  br label %B362.i.i.i.i

B362.i.i.i.i:                                     ; preds = %B348.i.i.i.i, %B290.i.i.i.i
  %sunkaddr15.pre-phi.i.i.i.i = phi i64 [ %sunkaddr.i46.i.i.i, %B348.i.i.i.i ], [ %.pre.i.i.i.i, %B290.i.i.i.i ]
  %"$phi362.0.2.0.i.i.i.i" = phi i64 [ %.478.i.i.i.i, %B348.i.i.i.i ], [ %.446.i.i.i.i, %B290.i.i.i.i ]
  %.490.i.i.i.i = add i64 %"$phi362.0.2.0.i.i.i.i", %.200.i.i.i.i
  %sunkaddr16.i.i.i.i = getelementptr i8, ptr %arg.rooms, i64 %sunkaddr15.pre-phi.i.i.i.i
  %sunkaddr17.i.i.i.i = getelementptr i8, ptr %sunkaddr16.i.i.i.i, i64 8
  %.518.i.i.i.i = load i64, ptr %sunkaddr17.i.i.i.i, align 8
  %.524.i.i.i.i = icmp ugt i64 %.490.i.i.i.i, %.518.i.i.i.i
  br i1 %.524.i.i.i.i, label %B1442.endif.thread.thread26.i.i, label %B428.i.i.i.i

B1442.endif.thread.thread26.i.i:                  ; preds = %B362.i.i.i.i
  %.387.i.le.i.i.i = add i64 %.384.i.i.i.i, 1
  store i64 %.387.i.le.i.i.i, ptr %arg.stack, align 8
  br label %B212.i

B428.i.i.i.i:                                     ; preds = %B362.i.i.i.i
  %sunkaddr19.i.i.i.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr15.pre-phi.i.i.i.i
  %sunkaddr20.i.i.i.i = getelementptr i8, ptr %sunkaddr19.i.i.i.i, i64 8
  %.629.i.i.i.i = load i64, ptr %sunkaddr20.i.i.i.i, align 8
  %.636.i.i.i.i = add i64 %.629.i.i.i.i, %"$phi362.0.2.0.i.i.i.i"
  %.42.i1.i.i.i.i = icmp ult i64 %.157.sroa.0.0.ph.i.i.i.i, 34
  %.56.i.i45.i.i.i = icmp ugt i64 %.224.i.i.i.i, 15
  %or.cond.i.i.i.i.i = and i1 %.42.i1.i.i.i.i, %.56.i.i45.i.i.i
  br i1 %or.cond.i.i.i.i.i, label %B106.endif.endif.endif.endif.i.i.i.i.i, label %B274.i.i.i.i.i

B274.i.i.i.i.i:                                   ; preds = %B428.i.i.i.i
  %.200.not.i.i.i.i.i = icmp eq i64 %.200.i.i.i.i, 0
  br i1 %.200.not.i.i.i.i.i, label %copy.exit.i.i.i.i, label %iter.check.i.i.i.i.i

iter.check.i.i.i.i.i:                             ; preds = %B274.i.i.i.i.i
  %12 = getelementptr i8, ptr %arg.data, i64 %.157.sroa.4.0.ph.i.i.i.i
  %13 = getelementptr i8, ptr %arg.octets, i64 %.636.i.i.i.i
  %min.iters.check.i.i.i.i.i = icmp ult i64 %.157.sroa.0.0.ph.i.i.i.i, 8
  br i1 %min.iters.check.i.i.i.i.i, label %B300.preheader.i.i.i.i.i, label %vector.memcheck.i.i.i.i.i

vector.memcheck.i.i.i.i.i:                        ; preds = %iter.check.i.i.i.i.i
  %14 = add i64 %.157.sroa.4.0.ph.i.i.i.i, %1
  %.neg2.i.i.i.i.i = sub i64 %0, %14
  %15 = add i64 %.neg2.i.i.i.i.i, %.636.i.i.i.i
  %diff.check.i.i.i.i.i = icmp ult i64 %15, 32
  br i1 %diff.check.i.i.i.i.i, label %B300.preheader.i.i.i.i.i, label %vector.main.loop.iter.check.i.i.i.i.i

vector.main.loop.iter.check.i.i.i.i.i:            ; preds = %vector.memcheck.i.i.i.i.i
  %min.iters.check6.i.i.i.i.i = icmp ult i64 %.157.sroa.0.0.ph.i.i.i.i, 64
  br i1 %min.iters.check6.i.i.i.i.i, label %vec.epilog.ph.i.i.i.i.i, label %vector.ph.i.i.i.i.i

vector.ph.i.i.i.i.i:                              ; preds = %vector.main.loop.iter.check.i.i.i.i.i
  %n.vec.i.i.i.i.i = and i64 %.200.i.i.i.i, 9223372036854775776
  br label %vector.body.i.i.i.i.i

vector.body.i.i.i.i.i:                            ; preds = %vector.body.i.i.i.i.i, %vector.ph.i.i.i.i.i
  %index.i.i.i.i.i = phi i64 [ 0, %vector.ph.i.i.i.i.i ], [ %index.next.i.i.i.i.i, %vector.body.i.i.i.i.i ]
  %sunkaddr.i2.i.i.i.i = getelementptr i8, ptr %12, i64 %index.i.i.i.i.i
  %wide.load.i.i.i.i.i = load <16 x i8>, ptr %sunkaddr.i2.i.i.i.i, align 1
  %sunkaddr14.i.i.i.i.i = getelementptr i8, ptr %sunkaddr.i2.i.i.i.i, i64 16
  %wide.load7.i.i.i.i.i = load <16 x i8>, ptr %sunkaddr14.i.i.i.i.i, align 1
  %sunkaddr15.i.i.i.i.i = getelementptr i8, ptr %13, i64 %index.i.i.i.i.i
  store <16 x i8> %wide.load.i.i.i.i.i, ptr %sunkaddr15.i.i.i.i.i, align 1
  %sunkaddr17.i.i.i.i.i = getelementptr i8, ptr %sunkaddr15.i.i.i.i.i, i64 16
  store <16 x i8> %wide.load7.i.i.i.i.i, ptr %sunkaddr17.i.i.i.i.i, align 1
  %index.next.i.i.i.i.i = add nuw nsw i64 %index.i.i.i.i.i, 32
  %16 = icmp eq i64 %n.vec.i.i.i.i.i, %index.next.i.i.i.i.i
  br i1 %16, label %middle.block.i.i.i.i.i, label %vector.body.i.i.i.i.i

middle.block.i.i.i.i.i:                           ; preds = %vector.body.i.i.i.i.i
  %cmp.n.i.i.i.i.i = icmp eq i64 %.200.i.i.i.i, %n.vec.i.i.i.i.i
  br i1 %cmp.n.i.i.i.i.i, label %copy.exit.i.i.i.i, label %vec.epilog.iter.check.i.i.i.i.i

vec.epilog.iter.check.i.i.i.i.i:                  ; preds = %middle.block.i.i.i.i.i
  %17 = and i64 %.157.sroa.0.0.ph.i.i.i.i, 56
  %min.epilog.iters.check.i.i.i.i.i = icmp eq i64 %17, 0
  br i1 %min.epilog.iters.check.i.i.i.i.i, label %B300.preheader.i.i.i.i.i, label %vec.epilog.ph.i.i.i.i.i

vec.epilog.ph.i.i.i.i.i:                          ; preds = %vec.epilog.iter.check.i.i.i.i.i, %vector.main.loop.iter.check.i.i.i.i.i
  %vec.epilog.resume.val.i.i.i.i.i = phi i64 [ %n.vec.i.i.i.i.i, %vec.epilog.iter.check.i.i.i.i.i ], [ 0, %vector.main.loop.iter.check.i.i.i.i.i ]
  %n.vec9.i.i.i.i.i = and i64 %.200.i.i.i.i, 9223372036854775804
  br label %vec.epilog.vector.body.i.i.i.i.i

vec.epilog.vector.body.i.i.i.i.i:                 ; preds = %vec.epilog.vector.body.i.i.i.i.i, %vec.epilog.ph.i.i.i.i.i
  %index10.i.i.i.i.i = phi i64 [ %vec.epilog.resume.val.i.i.i.i.i, %vec.epilog.ph.i.i.i.i.i ], [ %index.next12.i.i.i.i.i, %vec.epilog.vector.body.i.i.i.i.i ]
  %18 = getelementptr i8, ptr %12, i64 %index10.i.i.i.i.i
  %wide.load11.i.i.i.i.i = load <4 x i8>, ptr %18, align 1
  %19 = getelementptr i8, ptr %13, i64 %index10.i.i.i.i.i
  store <4 x i8> %wide.load11.i.i.i.i.i, ptr %19, align 1
  %index.next12.i.i.i.i.i = add nuw i64 %index10.i.i.i.i.i, 4
  %20 = icmp eq i64 %n.vec9.i.i.i.i.i, %index.next12.i.i.i.i.i
  br i1 %20, label %vec.epilog.middle.block.i.i.i.i.i, label %vec.epilog.vector.body.i.i.i.i.i

vec.epilog.middle.block.i.i.i.i.i:                ; preds = %vec.epilog.vector.body.i.i.i.i.i
  %cmp.n13.i.i.i.i.i = icmp eq i64 %.200.i.i.i.i, %n.vec9.i.i.i.i.i
  br i1 %cmp.n13.i.i.i.i.i, label %copy.exit.i.i.i.i, label %B300.preheader.i.i.i.i.i

B300.preheader.i.i.i.i.i:                         ; preds = %vec.epilog.middle.block.i.i.i.i.i, %vec.epilog.iter.check.i.i.i.i.i, %vector.memcheck.i.i.i.i.i, %iter.check.i.i.i.i.i
  %done.2.0.ph.i.i.i.i.i = phi i64 [ 0, %iter.check.i.i.i.i.i ], [ 0, %vector.memcheck.i.i.i.i.i ], [ %n.vec.i.i.i.i.i, %vec.epilog.iter.check.i.i.i.i.i ], [ %n.vec9.i.i.i.i.i, %vec.epilog.middle.block.i.i.i.i.i ]
  %xtraiter.i.i.i.i.i = and i64 %.200.i.i.i.i, 3
  %lcmp.mod.not.i.i.i.i.i = icmp eq i64 %xtraiter.i.i.i.i.i, 0
  br i1 %lcmp.mod.not.i.i.i.i.i, label %B300.prol.loopexit.i.i.i.i.i, label %B300.prol.i.i.i.i.i

B300.prol.i.i.i.i.i:                              ; preds = %B300.preheader.i.i.i.i.i, %B300.prol.i.i.i.i.i
  %lsr.iv.i.i.i.i.i = phi i64 [ %lsr.iv.next.i.i.i.i.i, %B300.prol.i.i.i.i.i ], [ %xtraiter.i.i.i.i.i, %B300.preheader.i.i.i.i.i ]
  %done.2.0.prol.i.i.i.i.i = phi i64 [ %.263.prol.i.i.i.i.i, %B300.prol.i.i.i.i.i ], [ %done.2.0.ph.i.i.i.i.i, %B300.preheader.i.i.i.i.i ]
  %.230.prol.i.i.i.i.i = getelementptr i8, ptr %12, i64 %done.2.0.prol.i.i.i.i.i
  %.231.prol.i.i.i.i.i = load i8, ptr %.230.prol.i.i.i.i.i, align 1
  %.260.prol.i.i.i.i.i = getelementptr i8, ptr %13, i64 %done.2.0.prol.i.i.i.i.i
  store i8 %.231.prol.i.i.i.i.i, ptr %.260.prol.i.i.i.i.i, align 1
  %.263.prol.i.i.i.i.i = add nuw nsw i64 %done.2.0.prol.i.i.i.i.i, 1
  %lsr.iv.next.i.i.i.i.i = add nsw i64 %lsr.iv.i.i.i.i.i, -1
  %prol.iter.cmp.not.i.i.i.i.i = icmp eq i64 %lsr.iv.next.i.i.i.i.i, 0
  br i1 %prol.iter.cmp.not.i.i.i.i.i, label %B300.prol.loopexit.i.i.i.i.i, label %B300.prol.i.i.i.i.i

B300.prol.loopexit.i.i.i.i.i:                     ; preds = %B300.prol.i.i.i.i.i, %B300.preheader.i.i.i.i.i
  %done.2.0.unr.i.i.i.i.i = phi i64 [ %done.2.0.ph.i.i.i.i.i, %B300.preheader.i.i.i.i.i ], [ %.263.prol.i.i.i.i.i, %B300.prol.i.i.i.i.i ]
  %21 = sub nsw i64 %done.2.0.ph.i.i.i.i.i, %.200.i.i.i.i
  %22 = icmp ugt i64 %21, -4
  br i1 %22, label %copy.exit.i.i.i.i, label %B300.preheader14.i.i.i.i.i

B300.preheader14.i.i.i.i.i:                       ; preds = %B300.prol.loopexit.i.i.i.i.i
  %scevgep.i.i.i.i.i = getelementptr i8, ptr %13, i64 3
  %scevgep22.i.i.i.i.i = getelementptr i8, ptr %12, i64 3
  br label %B300.i.i.i.i.i

B300.i.i.i.i.i:                                   ; preds = %B300.i.i.i.i.i, %B300.preheader14.i.i.i.i.i
  %done.2.0.i.i.i.i.i = phi i64 [ %.263.3.i.i.i.i.i, %B300.i.i.i.i.i ], [ %done.2.0.unr.i.i.i.i.i, %B300.preheader14.i.i.i.i.i ]
  %scevgep26.i.i.i.i.i = getelementptr i8, ptr %scevgep22.i.i.i.i.i, i64 %done.2.0.i.i.i.i.i
  %scevgep27.i.i.i.i.i = getelementptr i8, ptr %scevgep26.i.i.i.i.i, i64 -3
  %.231.i.i.i.i.i = load i8, ptr %scevgep27.i.i.i.i.i, align 1
  %scevgep18.i.i.i.i.i = getelementptr i8, ptr %scevgep.i.i.i.i.i, i64 %done.2.0.i.i.i.i.i
  %scevgep19.i.i.i.i.i = getelementptr i8, ptr %scevgep18.i.i.i.i.i, i64 -3
  store i8 %.231.i.i.i.i.i, ptr %scevgep19.i.i.i.i.i, align 1
  %scevgep12.i.i.i.i.i = getelementptr i8, ptr %scevgep26.i.i.i.i.i, i64 -2
  %.231.1.i.i.i.i.i = load i8, ptr %scevgep12.i.i.i.i.i, align 1
  %scevgep21.i.i.i.i.i = getelementptr i8, ptr %scevgep18.i.i.i.i.i, i64 -2
  store i8 %.231.1.i.i.i.i.i, ptr %scevgep21.i.i.i.i.i, align 1
  %scevgep9.i.i.i.i.i = getelementptr i8, ptr %scevgep26.i.i.i.i.i, i64 -1
  %.231.2.i.i.i.i.i = load i8, ptr %scevgep9.i.i.i.i.i, align 1
  %scevgep7.i.i.i.i.i = getelementptr i8, ptr %scevgep18.i.i.i.i.i, i64 -1
  store i8 %.231.2.i.i.i.i.i, ptr %scevgep7.i.i.i.i.i, align 1
  %.231.3.i.i.i.i.i = load i8, ptr %scevgep26.i.i.i.i.i, align 1
  store i8 %.231.3.i.i.i.i.i, ptr %scevgep18.i.i.i.i.i, align 1
  %.263.3.i.i.i.i.i = add nuw i64 %done.2.0.i.i.i.i.i, 4
  %exitcond.not.3.i.i.i.i.i = icmp eq i64 %.200.i.i.i.i, %.263.3.i.i.i.i.i
  br i1 %exitcond.not.3.i.i.i.i.i, label %copy.exit.i.i.i.i, label %B300.i.i.i.i.i

B106.endif.endif.endif.endif.i.i.i.i.i:           ; preds = %B428.i.i.i.i
  %.41.i.i.i.i.i.i = getelementptr i8, ptr %arg.data, i64 %.157.sroa.4.0.ph.i.i.i.i
  %.42.i.i.i.i.i.i = load i64, ptr %.41.i.i.i.i.i.i, align 1
  %.41.i1.i.i.i.i.i = getelementptr i8, ptr %.41.i.i.i.i.i.i, i64 8
  %.42.i2.i.i.i.i.i = load i64, ptr %.41.i1.i.i.i.i.i, align 1
  %.43.i.i.i.i.i.i = getelementptr i8, ptr %arg.octets, i64 %.636.i.i.i.i
  store i64 %.42.i.i.i.i.i.i, ptr %.43.i.i.i.i.i.i, align 1
  %.43.i3.i.i.i.i.i = getelementptr i8, ptr %.43.i.i.i.i.i.i, i64 8
  store i64 %.42.i2.i.i.i.i.i, ptr %.43.i3.i.i.i.i.i, align 1
  br label %copy.exit.i.i.i.i

copy.exit.i.i.i.i: ; preds = %B300.i.i.i.i.i, %B106.endif.endif.endif.endif.i.i.i.i.i, %B300.prol.loopexit.i.i.i.i.i, %vec.epilog.middle.block.i.i.i.i.i, %middle.block.i.i.i.i.i, %B274.i.i.i.i.i
  %sunkaddr25.i.i.i.i = getelementptr i8, ptr %arg.used, i64 %sunkaddr15.pre-phi.i.i.i.i
  %sunkaddr26.i.i.i.i = getelementptr i8, ptr %sunkaddr25.i.i.i.i, i64 8
  store i64 %.490.i.i.i.i, ptr %sunkaddr26.i.i.i.i, align 8
  %.748.i.i.i.i = getelementptr i32, ptr %arg.ints, i64 %.803.i.i.i
  %.749.i.i.i.i = trunc i64 %.490.i.i.i.i to i32
  store i32 %.749.i.i.i.i, ptr %.748.i.i.i.i, align 4
  br label %B730.i.i.i.i

B518.i.i.i.i:                                     ; preds = %B188.i.i.i.i
  %.789.i.i.i.i = icmp eq i64 %.335.i.i.i.i, 3
  %.792.i.i.i.i = icmp eq i64 %.200.i.i.i.i, 8
  %or.cond702.i.i.i.i = select i1 %.789.i.i.i.i, i1 %.792.i.i.i.i, i1 false
  br i1 %or.cond702.i.i.i.i, label %B562.endif.i.i.i.i, label %B602.i.i.i.i

B602.i.i.i.i:                                     ; preds = %B518.i.i.i.i
  %.886.i.i.i.i = icmp eq i64 %.335.i.i.i.i, 2
  %.891.i.i.i.i = icmp eq i64 %.200.i.i.i.i, 4
  %or.cond703.i.i.i.i = select i1 %.886.i.i.i.i, i1 %.891.i.i.i.i, i1 false
  br i1 %or.cond703.i.i.i.i, label %B646.endif.i.i.i.i, label %B686.i.i.i.i

B686.i.i.i.i:                                     ; preds = %B602.i.i.i.i
  %sunkaddr23.i.i.i.i = getelementptr i8, ptr %9, i64 48
  %.68.i.i38.i.i.i = load i64, ptr %sunkaddr23.i.i.i.i, align 8
  %.69.i.i39.i.i.i = or i64 %.68.i.i38.i.i.i, 1
  store i64 %.69.i.i39.i.i.i, ptr %sunkaddr23.i.i.i.i, align 8
  %.157.i.i41.i.i.i = load i64, ptr %.156.i.i40.i.i.i, align 8
  %.158.i.i42.i.i.i = or i64 %.157.i.i41.i.i.i, 1
  store i64 %.158.i.i42.i.i.i, ptr %.156.i.i40.i.i.i, align 8
  br label %B730.i.i.i.i

B730.i.i.i.i:                                     ; preds = %B646.endif.i.i.i.i, %B562.endif.i.i.i.i, %B686.i.i.i.i, %copy.exit.i.i.i.i
  %.1028.i.i.i.i = add i64 %.200.i.i.i.i, %.157.sroa.4.0.ph.i.i.i.i
  br label %B896.i.i.i

B562.endif.i.i.i.i:                               ; preds = %B518.i.i.i.i
  %.41.i.i43.i.i.i = getelementptr i8, ptr %arg.data, i64 %.157.sroa.4.0.ph.i.i.i.i
  %.42.i.i44.i.i.i = load i64, ptr %.41.i.i43.i.i.i, align 1
  %.870.i.i.i.i = getelementptr i64, ptr %arg.longs, i64 %.803.i.i.i
  store i64 %.42.i.i44.i.i.i, ptr %.870.i.i.i.i, align 8
  br label %B730.i.i.i.i

B646.endif.i.i.i.i:                               ; preds = %B602.i.i.i.i
  %.41.i1.i.i.i.i = getelementptr i8, ptr %arg.data, i64 %.157.sroa.4.0.ph.i.i.i.i
  %.42.i2.i.i.i.i = load i32, ptr %.41.i1.i.i.i.i, align 1
  %.962.i.i.i.i = getelementptr i32, ptr %arg.ints, i64 %.803.i.i.i
  store i32 %.42.i2.i.i.i.i, ptr %.962.i.i.i.i, align 4
  br label %B730.i.i.i.i

B896.i.i.i:                                       ; preds = %B782.endif.i.i.i, %B678.endif.i.i.i, %B730.i.i.i.i, %read_integer.exit.i.i.i
  %position.9.3.i.i.i = phi i64 [ %storemerge.i.i.i.i, %read_integer.exit.i.i.i ], [ %.1059.i.i.i, %B678.endif.i.i.i ], [ %.1138.i.i.i, %B782.endif.i.i.i ], [ %.1028.i.i.i.i, %B730.i.i.i.i ]
  %.1215.i.i.i = icmp ugt i64 %position.9.3.i.i.i, -4
  br i1 %.1215.i.i.i, label %B1442.endif.i.i, label %B922.i.i.i

B922.i.i.i:                                       ; preds = %B896.i.i.i
  %.1313.not.i.i.i = icmp eq i64 %.391.i.i.i, 0
  br i1 %.1313.not.i.i.i, label %B48.i.i.i, label %B184.i.i.i

B952.i.i.i:                                       ; preds = %B134.i.i.i, %B604.i.i
  %position.11.0.i.i.i = phi i64 [ %position.8.2.i.i, %B604.i.i ], [ %position.1.2.0.i.i24.i.i, %B134.i.i.i ]
  %met.5.0.i.i.i = phi i64 [ 0, %B604.i.i ], [ %met.3.1.i.i.i, %B134.i.i.i ]
  %.1385.i.i.i = icmp ult i64 %met.5.0.i.i.i, %.936.i.i
  br i1 %.1385.i.i.i, label %B964.i.i.i, label %B1420.i.i

B964.i.i.i:                                       ; preds = %B952.i.i.i
  %.99.i.i.i.i = add i64 %.936.i.i, %.391.i.i
  %.113334.i.i.i.i = icmp ult i64 %.391.i.i, %.99.i.i.i.i
  br i1 %.113334.i.i.i.i, label %B30.preheader.lr.ph.i.i.i.i, label %B1420.i.i

B30.preheader.lr.ph.i.i.i.i:                      ; preds = %B964.i.i.i
  %invariant.gep.i.i.i.i = getelementptr i8, ptr %arg.octets, i64 %.458.i.i
  %23 = add nuw i64 %.391.i.i, 1
  %24 = shl i64 %23, 6
  %25 = getelementptr i8, ptr %arg.slots, i64 %24
  %scevgep.i.i.i.i = getelementptr i8, ptr %25, i64 56
  br label %B30.i.i.i.i

B18.loopexit.i.i.i.i:                             ; preds = %B30.i.i.i.i
  %.113.i.i.i.i = icmp ult i64 %lsr.iv.i.i.i.i, %.99.i.i.i.i
  br i1 %.113.i.i.i.i, label %B30.backedge.i.i.i.i, label %B1420.i.i

B30.i.i.i.i:                                      ; preds = %B30.backedge.i.i.i.i, %B30.preheader.lr.ph.i.i.i.i
  %lsr.iv8.i.i.i.i = phi ptr [ %scevgep9.i.i.i.i, %B30.backedge.i.i.i.i ], [ %scevgep.i.i.i.i, %B30.preheader.lr.ph.i.i.i.i ]
  %lsr.iv.i.i.i.i = phi i64 [ %lsr.iv.next.i.i.i.i, %B30.backedge.i.i.i.i ], [ %23, %B30.preheader.lr.ph.i.i.i.i ]
  %.173.i.i2.i.i = load i64, ptr %lsr.iv8.i.i.i.i, align 8
  %.178.i.i.i.i = icmp eq i64 %.173.i.i2.i.i, %.165.i.i.i
  br i1 %.178.i.i.i.i, label %B18.loopexit.i.i.i.i, label %B106.i.i.i.i

B106.i.i.i.i:                                     ; preds = %B30.i.i.i.i
  %scevgep13.i.i.i.i = getelementptr i8, ptr %lsr.iv8.i.i.i.i, i64 -40
  %.232.i.i.i.i = load i64, ptr %scevgep13.i.i.i.i, align 8
  %scevgep12.i.i.i.i = getelementptr i8, ptr %lsr.iv8.i.i.i.i, i64 -32
  %.281.i.i.i.i = load i64, ptr %scevgep12.i.i.i.i, align 8
  %.316.i.i.i.i = getelementptr i64, ptr %arg.starts, i64 %.281.i.i.i.i
  %.317.i.i.i.i = load i64, ptr %.316.i.i.i.i, align 8
  %.319.i.i.i.i = add i64 %.317.i.i.i.i, %.458.i.i
  %scevgep11.i.i.i.i = getelementptr i8, ptr %lsr.iv8.i.i.i.i, i64 -24
  %.369.i.i.i.i = load i64, ptr %scevgep11.i.i.i.i, align 8
  %.372.not.i.i.i.i = icmp eq i64 %.369.i.i.i.i, 0
  br i1 %.372.not.i.i.i.i, label %B292.i.i.i.i, label %B236.i.i.i.i

B236.i.i.i.i:                                     ; preds = %B106.i.i.i.i
  %sunkaddr.i.i.i.i = shl i64 %.281.i.i.i.i, 3
  %sunkaddr14.i.i.i.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr.i.i.i.i
  %sunkaddr15.i.i.i.i = getelementptr i8, ptr %sunkaddr14.i.i.i.i, i64 -8
  %.402.i.i.i.i = load i64, ptr %sunkaddr15.i.i.i.i, align 8
  %gep.i.i.i.i = getelementptr i8, ptr %invariant.gep.i.i.i.i, i64 %.402.i.i.i.i
  store i8 0, ptr %gep.i.i.i.i, align 1
  br label %B336.i.i.i.i

B292.i.i.i.i:                                     ; preds = %B106.i.i.i.i
  %scevgep10.i.i.i.i = getelementptr i8, ptr %lsr.iv8.i.i.i.i, i64 -8
  %.68.i.i.i.i.i = load i64, ptr %scevgep10.i.i.i.i, align 8
  %.69.i.i.i.i.i = or i64 %.68.i.i.i.i.i, 2
  store i64 %.69.i.i.i.i.i, ptr %scevgep10.i.i.i.i, align 8
  %.157.i.i.i.i.i = load i64, ptr %.156.i.i40.i.i.i, align 8
  %.158.i.i.i.i.i = or i64 %.157.i.i.i.i.i, 2
  store i64 %.158.i.i.i.i.i, ptr %.156.i.i40.i.i.i, align 8
  br label %B336.i.i.i.i

B336.i.i.i.i:                                     ; preds = %B292.i.i.i.i, %B236.i.i.i.i
  switch i64 %.232.i.i.i.i, label %B464.i.i.i.i [
    i64 4, label %B358.i.i.i.i
    i64 0, label %B442.i.i.i.i
    i64 2, label %B442.i.i.i.i
  ]

B358.i.i.i.i:                                     ; preds = %B336.i.i.i.i
  %26 = getelementptr i64, ptr %arg.used, i64 %.281.i.i.i.i
  %.502.i.i.i.i = getelementptr i8, ptr %26, i64 8
  %.503.i.i.i.i = load i64, ptr %.502.i.i.i.i, align 8
  %.530.i.i.i.i = getelementptr i32, ptr %arg.ints, i64 %.319.i.i.i.i
  %.531.i.i.i.i = trunc i64 %.503.i.i.i.i to i32
  store i32 %.531.i.i.i.i, ptr %.530.i.i.i.i, align 4
  br label %B484.i.i.i.i

B442.i.i.i.i:                                     ; preds = %B336.i.i.i.i, %B336.i.i.i.i
  %.574.i.i.i.i = getelementptr i32, ptr %arg.ints, i64 %.319.i.i.i.i
  store i32 0, ptr %.574.i.i.i.i, align 4
  br label %B484.i.i.i.i

B464.i.i.i.i:                                     ; preds = %B336.i.i.i.i
  %.606.i.i.i.i = getelementptr i64, ptr %arg.longs, i64 %.319.i.i.i.i
  store i64 0, ptr %.606.i.i.i.i, align 8
  br label %B484.i.i.i.i

B484.i.i.i.i:                                     ; preds = %B464.i.i.i.i, %B442.i.i.i.i, %B358.i.i.i.i
  %.616.i.i.i.i = icmp ult i64 %lsr.iv.i.i.i.i, %.99.i.i.i.i
  br i1 %.616.i.i.i.i, label %B30.backedge.i.i.i.i, label %B1420.i.i

B30.backedge.i.i.i.i:                             ; preds = %B484.i.i.i.i, %B18.loopexit.i.i.i.i
  %lsr.iv.next.i.i.i.i = add nuw i64 %lsr.iv.i.i.i.i, 1
  %scevgep9.i.i.i.i = getelementptr i8, ptr %lsr.iv8.i.i.i.i, i64 64
  br label %B30.i.i.i.i

B678.endif.i.i.i:                                 ; preds = %B656.i.i.i
  %.41.i.i.i.i = getelementptr i8, ptr %arg.data, i64 %.404.sroa.7.2.i.i.i
  %.42.i.i.i.i = load i64, ptr %.41.i.i.i.i, align 1
  %.1054.i.i.i = getelementptr i64, ptr %arg.longs, i64 %.803.i.i.i
  store i64 %.42.i.i.i.i, ptr %.1054.i.i.i, align 8
  %.1059.i.i.i = add i64 %.404.sroa.7.2.i.i.i, 8
  br label %B896.i.i.i

B782.endif.i.i.i:                                 ; preds = %B656.i.i.i
  %.41.i55.i.i.i = getelementptr i8, ptr %arg.data, i64 %.404.sroa.7.2.i.i.i
  %.42.i56.i.i.i = load i32, ptr %.41.i55.i.i.i, align 1
  %.1132.i.i.i = getelementptr i32, ptr %arg.ints, i64 %.803.i.i.i
  store i32 %.42.i56.i.i.i, ptr %.1132.i.i.i, align 4
  %.1138.i.i.i = add i64 %.404.sroa.7.2.i.i.i, 4
  br label %B896.i.i.i

B752.i.i:                                         ; preds = %B582.i.i
  %.1039.i.i = icmp ult i64 %at.4.2.i.i, %null_until.3.2.i.i
  br i1 %.1039.i.i, label %B764.i.i, label %B812.i.i

B764.i.i:                                         ; preds = %B752.i.i
  switch i64 %.293.i.i, label %B222.i.i.i [
    i64 0, label %B26.i.i.i
    i64 1, label %B62.i.i.i
    i64 7, label %B98.i.i.i
    i64 2, label %B134.i45.i.i
  ]

B26.i.i.i:                                        ; preds = %B764.i.i
  %.122.i.i.i = getelementptr i64, ptr %arg.longs, i64 %.459.i.i
  store i64 0, ptr %.122.i.i.i, align 8
  br label %B1420.i.i

B62.i.i.i:                                        ; preds = %B764.i.i
  %.183.i.i.i = getelementptr i32, ptr %arg.ints, i64 %.459.i.i
  store i32 0, ptr %.183.i.i.i, align 4
  br label %B1420.i.i

B98.i.i.i:                                        ; preds = %B764.i.i
  %.240.i.i.i = getelementptr i8, ptr %arg.octets, i64 %.459.i.i
  store i8 0, ptr %.240.i.i.i, align 1
  br label %B1420.i.i

B134.i45.i.i:                                     ; preds = %B764.i.i
  %.274.not.i.i.i = icmp eq i64 %.391.i.i, 0
  br i1 %.274.not.i.i.i, label %B1420.i.i, label %B156.preheader.i.i.i

B156.preheader.i.i.i:                             ; preds = %B134.i45.i.i
  %27 = getelementptr i8, ptr %arg.octets, i64 %.459.i.i
  tail call void @llvm.memset.p0.i64(ptr align 1 %27, i8 0, i64 %.391.i.i, i1 false)
  br label %B1420.i.i

B222.i.i.i:                                       ; preds = %B764.i.i
  %.372.i.i.i = getelementptr i8, ptr %.457.i.i, i64 8
  %.373.i.i.i = load i64, ptr %.372.i.i.i, align 8
  %.405.i.i.i = getelementptr i32, ptr %arg.ints, i64 %.459.i.i
  %.406.i.i.i = trunc i64 %.373.i.i.i to i32
  store i32 %.406.i.i.i, ptr %.405.i.i.i, align 4
  br label %B1420.i.i

B812.i.i:                                         ; preds = %B752.i.i
  switch i64 %.293.i.i, label %B1376.i.i [
    i64 7, label %B834.i.i
    i64 4, label %B1060.i.i
    i64 5, label %B1168.i.i
    i64 3, label %B1276.i.i
  ]

B834.i.i:                                         ; preds = %B812.i.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i.i.i)
  %.32.i.i.i = icmp ult i64 %position.8.2.i.i, %arg.data_0
  br i1 %.32.i.i.i, label %B68.i.i.i, label %B156.i.i.i

B68.i.i.i:                                        ; preds = %B834.i.i
  %.60.i.i.i = getelementptr i8, ptr %arg.data, i64 %position.8.2.i.i
  %.61.i.i.i = load i8, ptr %.60.i.i.i, align 1
  %.67.i.i.i = icmp sgt i8 %.61.i.i.i, -1
  br i1 %.67.i.i.i, label %B132.i.i.i, label %B156.i.i.i

B132.i.i.i:                                       ; preds = %B68.i.i.i
  %.62.i.i.i = zext nneg i8 %.61.i.i.i to i64
  %.75.i.i.i = add nuw i64 %position.8.2.i.i, 1
  br label %read_number.exit.thread.i.i

B156.i.i.i:                                       ; preds = %B68.i.i.i, %B834.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %position.8.2.i.i)
  %.112.fca.0.load.i.i.i = load i64, ptr %.96.i.i.i, align 8
  %.112.fca.1.load.i.i.i = load i64, ptr %sunkaddr577.i.i, align 8
  br label %read_number.exit.thread.i.i

read_number.exit.thread.i.i: ; preds = %B156.i.i.i, %B132.i.i.i
  %.1107.sroa.5.5.ph.i.i = phi i64 [ %.112.fca.1.load.i.i.i, %B156.i.i.i ], [ %.75.i.i.i, %B132.i.i.i ]
  %.1107.sroa.0.5.ph.i.i = phi i64 [ %.112.fca.0.load.i.i.i, %B156.i.i.i ], [ %.62.i.i.i, %B132.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i.i.i)
  %.1150.i.i = icmp ugt i64 %.1107.sroa.0.5.ph.i.i, 2
  %.1153.i.i = and i64 %.1107.sroa.0.5.ph.i.i, 1
  %.1154.i.i = icmp ne i64 %.1153.i.i, 0
  %or.cond.i.i = or i1 %.1150.i.i, %.1154.i.i
  br i1 %or.cond.i.i, label %B212.i, label %B932.i.i

B932.i.i:                                         ; preds = %read_number.exit.thread.i.i
  %.1246.i.i = lshr exact i64 %.1107.sroa.0.5.ph.i.i, 1
  %.1295.i.i = load i64, ptr %lsr.iv.i.i, align 8
  %.1298.i.i = icmp ne i64 %.1246.i.i, %.1295.i.i
  %.1338.i.i = getelementptr i8, ptr %arg.octets, i64 %.459.i.i
  %.1339.i.i = zext i1 %.1298.i.i to i8
  store i8 %.1339.i.i, ptr %.1338.i.i, align 1
  %spec.select1357.i.i = select i1 %.1298.i.i, i64 %null_until.3.2.i.i, i64 %.391.i.i
  br label %B1420.i.i

B1060.i.i:                                        ; preds = %B812.i.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.906.i.i.i)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %.906.i.i.i, i8 0, i64 16, i1 false)
  %sunkaddr158.i.i.i = shl i64 %.342.i.i, 3
  %sunkaddr159.i.i.i = getelementptr i8, ptr %arg.used, i64 %sunkaddr158.i.i.i
  %sunkaddr160.i.i.i = getelementptr i8, ptr %sunkaddr159.i.i.i, i64 24
  %sunkaddr163.i.i.i = getelementptr i8, ptr %arg.rooms, i64 %sunkaddr158.i.i.i
  %sunkaddr165.i.i.i = getelementptr i8, ptr %sunkaddr163.i.i.i, i64 24
  %sunkaddr168.i.i.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr158.i.i.i
  %sunkaddr169.i.i.i = getelementptr i8, ptr %sunkaddr168.i.i.i, i64 16
  %sunkaddr172.i.i.i = getelementptr i8, ptr %sunkaddr159.i.i.i, i64 16
  %sunkaddr176.i.i.i = getelementptr i8, ptr %sunkaddr168.i.i.i, i64 24
  br label %B46.i.i.i

B46.i.i.i:                                        ; preds = %B646.endif.endif.i.i.i, %B1060.i.i
  %position.4.0.i.i.i = phi i64 [ %position.8.2.i.i, %B1060.i.i ], [ %.922.fca.1.load.i.i.i, %B646.endif.endif.i.i.i ]
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i46.i.i)
  %.32.i.i.i49.i.i = icmp ult i64 %position.4.0.i.i.i, %arg.data_0
  br i1 %.32.i.i.i49.i.i, label %B68.i.i.i85.i.i, label %B156.i.i.i50.i.i

B68.i.i.i85.i.i:                                  ; preds = %B46.i.i.i
  %.60.i.i.i86.i.i = getelementptr i8, ptr %arg.data, i64 %position.4.0.i.i.i
  %.61.i.i.i87.i.i = load i8, ptr %.60.i.i.i86.i.i, align 1
  %.67.i.i.i88.i.i = icmp sgt i8 %.61.i.i.i87.i.i, -1
  br i1 %.67.i.i.i88.i.i, label %B132.i.i.i89.i.i, label %B156.i.i.i50.i.i

B132.i.i.i89.i.i:                                 ; preds = %B68.i.i.i85.i.i
  %.62.i.i.i90.i.i = zext nneg i8 %.61.i.i.i87.i.i to i64
  %.75.i.i.i91.i.i = add nuw i64 %position.4.0.i.i.i, 1
  br label %B0.endif.i.i53.i.i

B156.i.i.i50.i.i:                                 ; preds = %B68.i.i.i85.i.i, %B46.i.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i46.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %position.4.0.i.i.i)
  %.112.fca.0.load.i.i.i51.i.i = load i64, ptr %.96.i1.i.i46.i.i, align 8
  %.112.fca.1.load.i.i.i52.i.i = load i64, ptr %sunkaddr.i.i.i48.i.i, align 8
  br label %B0.endif.i.i53.i.i

B84.i.i58.i.i:                                    ; preds = %B0.endif.i.i53.i.i
  %.89.i.i59.i.i = and i64 %.24.sroa.0.0.ph.i.i54.i.i, 1
  %.92.not.i.i60.i.i = icmp eq i64 %.89.i.i59.i.i, 0
  br i1 %.92.not.i.i60.i.i, label %read_count.exit.i68.i.i, label %B104.i.i61.i.i

B104.i.i61.i.i:                                   ; preds = %B84.i.i58.i.i
  %.95.i.i62.i.i = add nuw i64 %.71.i.i56.i.i, 1
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i46.i.i)
  %.32.i3.i.i63.i.i = icmp ult i64 %.24.sroa.4.0.ph.i.i55.i.i, %arg.data_0
  br i1 %.32.i3.i.i63.i.i, label %B68.i17.i.i79.i.i, label %B156.i4.i.i64.i.i

B68.i17.i.i79.i.i:                                ; preds = %B104.i.i61.i.i
  %.60.i18.i.i80.i.i = getelementptr i8, ptr %arg.data, i64 %.24.sroa.4.0.ph.i.i55.i.i
  %.61.i19.i.i81.i.i = load i8, ptr %.60.i18.i.i80.i.i, align 1
  %.67.i20.i.i82.i.i = icmp sgt i8 %.61.i19.i.i81.i.i, -1
  br i1 %.67.i20.i.i82.i.i, label %B132.i21.i.i83.i.i, label %B156.i4.i.i64.i.i

B132.i21.i.i83.i.i:                               ; preds = %B68.i17.i.i79.i.i
  %.75.i23.i.i84.i.i = add nuw i64 %.24.sroa.4.0.ph.i.i55.i.i, 1
  br label %read_number.exit25.thread.i.i66.i.i

B156.i4.i.i64.i.i:                                ; preds = %B68.i17.i.i79.i.i, %B104.i.i61.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i46.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %.24.sroa.4.0.ph.i.i55.i.i)
  %.112.fca.1.load.i15.i.i65.i.i = load i64, ptr %sunkaddr.i.i.i48.i.i, align 8
  br label %read_number.exit25.thread.i.i66.i.i

read_number.exit25.thread.i.i66.i.i: ; preds = %B156.i4.i.i64.i.i, %B132.i21.i.i83.i.i
  %.103.sroa.3.0.ph.i.i67.i.i = phi i64 [ %.112.fca.1.load.i15.i.i65.i.i, %B156.i4.i.i64.i.i ], [ %.75.i23.i.i84.i.i, %B132.i21.i.i83.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i46.i.i)
  br label %read_count.exit.i68.i.i

B0.endif.i.i53.i.i:                               ; preds = %B156.i.i.i50.i.i, %B132.i.i.i89.i.i
  %.24.sroa.0.0.ph.i.i54.i.i = phi i64 [ %.112.fca.0.load.i.i.i51.i.i, %B156.i.i.i50.i.i ], [ %.62.i.i.i90.i.i, %B132.i.i.i89.i.i ]
  %.24.sroa.4.0.ph.i.i55.i.i = phi i64 [ %.112.fca.1.load.i.i.i52.i.i, %B156.i.i.i50.i.i ], [ %.75.i.i.i91.i.i, %B132.i.i.i89.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i46.i.i)
  %.71.i.i56.i.i = lshr i64 %.24.sroa.0.0.ph.i.i54.i.i, 1
  %.80.not.i.i57.i.i = icmp eq i64 %.24.sroa.4.0.ph.i.i55.i.i, -1
  br i1 %.80.not.i.i57.i.i, label %read_count.exit.i68.i.i, label %B84.i.i58.i.i

read_count.exit.i68.i.i: ; preds = %B0.endif.i.i53.i.i, %read_number.exit25.thread.i.i66.i.i, %B84.i.i58.i.i
  %position.1.2.0.i.i69.i.i = phi i64 [ -1, %B0.endif.i.i53.i.i ], [ %.24.sroa.4.0.ph.i.i55.i.i, %B84.i.i58.i.i ], [ %.103.sroa.3.0.ph.i.i67.i.i, %read_number.exit25.thread.i.i66.i.i ]
  %count.2.0.i.i70.i.i = phi i64 [ %.71.i.i56.i.i, %B0.endif.i.i53.i.i ], [ %.71.i.i56.i.i, %B84.i.i58.i.i ], [ %.95.i.i62.i.i, %read_number.exit25.thread.i.i66.i.i ]
  %.164.i.i71.i.i = sub i64 %arg.data_0, %position.1.2.0.i.i69.i.i
  %.169.i.i72.i.i = icmp ne i64 %position.1.2.0.i.i69.i.i, -1
  %.173.i.i73.i.i = icmp ule i64 %count.2.0.i.i70.i.i, %.164.i.i71.i.i
  %.177.i.i74.i.i = shl i64 %count.2.0.i.i70.i.i, 1
  %.181.i.i75.i.i = icmp ule i64 %.177.i.i74.i.i, %.164.i.i71.i.i
  %.not23.i.i.i = and i1 %.173.i.i73.i.i, %.181.i.i75.i.i
  %or.cond71.i.not.i.i.i = select i1 %.169.i.i72.i.i, i1 %.not23.i.i.i, i1 false
  br i1 %or.cond71.i.not.i.i.i, label %B132.i76.i.i, label %read_longs.exit.i.i

B132.i76.i.i:                                     ; preds = %read_count.exit.i68.i.i
  %.218.i.i.i = icmp eq i64 %count.2.0.i.i70.i.i, 0
  br i1 %.218.i.i.i, label %B154.i.i.i, label %B196.i.i.i

B154.i.i.i:                                       ; preds = %B132.i76.i.i
  %.281.i.i.i = load i64, ptr %sunkaddr172.i.i.i, align 8
  %.313.i.i.i = getelementptr i8, ptr %.457.i.i, i64 8
  store i64 %.281.i.i.i, ptr %.313.i.i.i, align 8
  br label %read_longs.exit.i.i

B196.i.i.i:                                       ; preds = %B132.i76.i.i
  %.352.i77.i.i = load i64, ptr %sunkaddr160.i.i.i, align 8
  %.354.i78.i.i = add i64 %.352.i77.i.i, %count.2.0.i.i70.i.i
  %.382.i.i.i = load i64, ptr %sunkaddr165.i.i.i, align 8
  %.383.i.i.i = icmp ugt i64 %.354.i78.i.i, %.382.i.i.i
  %spec.select.v.i.i.i = select i1 %.383.i.i.i, i64 3, i64 2
  %spec.select.i.i.i = add i64 %spec.select.v.i.i.i, %.342.i.i
  %.426.i.i.i = getelementptr i64, ptr %arg.used, i64 %spec.select.i.i.i
  %.427.i.i.i = load i64, ptr %.426.i.i.i, align 8
  %.429.i.i.i = add i64 %.427.i.i.i, %count.2.0.i.i70.i.i
  %.456.i.i.i = getelementptr i64, ptr %arg.rooms, i64 %spec.select.i.i.i
  %.457.i.i.i = load i64, ptr %.456.i.i.i, align 8
  %.458.i.i.i = icmp ugt i64 %.429.i.i.i, %.457.i.i.i
  br i1 %.458.i.i.i, label %B288.i.i.i, label %B322.i.i.i

B288.i.i.i:                                       ; preds = %B196.i.i.i
  store i64 %spec.select.i.i.i, ptr %arg.stack, align 8
  br label %read_longs.exit.i.i

B322.i.i.i:                                       ; preds = %B196.i.i.i
  %.580.i.i.i = load i64, ptr %sunkaddr169.i.i.i, align 8
  %.608.i.i.i = load i64, ptr %sunkaddr172.i.i.i, align 8
  %.609.i.i.i = add i64 %.608.i.i.i, %.580.i.i.i
  %.637.i.i.i = load i64, ptr %sunkaddr176.i.i.i, align 8
  %.666.i.i.i = add i64 %.637.i.i.i, %.352.i77.i.i
  %.702.i.i.i = add i64 %.608.i.i.i, %count.2.0.i.i70.i.i
  store i64 %.702.i.i.i, ptr %sunkaddr172.i.i.i, align 8
  store i64 %.354.i78.i.i, ptr %sunkaddr160.i.i.i, align 8
  %28 = shl i64 %.666.i.i.i, 3
  %scevgep.i.i.i = getelementptr i8, ptr %arg.longs, i64 %28
  %29 = shl i64 %.609.i.i.i, 2
  %scevgep191.i.i.i = getelementptr i8, ptr %arg.ints, i64 %29
  br label %B476.i.i.i

B476.i.i.i:                                       ; preds = %B646.endif.endif.i.i.i, %B322.i.i.i
  %lsr.iv.i.i.i = phi i64 [ 0, %B322.i.i.i ], [ %lsr.iv.next.i.i.i, %B646.endif.endif.i.i.i ]
  %position.6.1.i.i.i = phi i64 [ %position.1.2.0.i.i69.i.i, %B322.i.i.i ], [ %.922.fca.1.load.i.i.i, %B646.endif.endif.i.i.i ]
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i.i47.i.i)
  %.32.i.i.i.i = icmp ult i64 %position.6.1.i.i.i, %arg.data_0
  br i1 %.32.i.i.i.i, label %B68.i.i.i.i, label %B156.i.i.i.i

B68.i.i.i.i:                                      ; preds = %B476.i.i.i
  %.60.i.i.i.i = getelementptr i8, ptr %arg.data, i64 %position.6.1.i.i.i
  %.61.i.i.i.i = load i8, ptr %.60.i.i.i.i, align 1
  %.67.i.i.i.i = icmp sgt i8 %.61.i.i.i.i, -1
  br i1 %.67.i.i.i.i, label %B132.i.i.i.i, label %B156.i.i.i.i

B132.i.i.i.i:                                     ; preds = %B68.i.i.i.i
  %.62.i.i.i.i = zext nneg i8 %.61.i.i.i.i to i64
  %.75.i.i.i.i = add nuw i64 %position.6.1.i.i.i, 1
  br label %read_number.exit.thread.i.i.i

B156.i.i.i.i:                                     ; preds = %B68.i.i.i.i, %B476.i.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i.i47.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %position.6.1.i.i.i)
  %.112.fca.0.load.i.i.i.i = load i64, ptr %.96.i.i47.i.i, align 8
  %.112.fca.1.load.i.i.i.i = load i64, ptr %sunkaddr180.i.i.i, align 8
  br label %read_number.exit.thread.i.i.i

read_number.exit.thread.i.i.i: ; preds = %B156.i.i.i.i, %B132.i.i.i.i
  %.802.sroa.5.2.ph.i.i.i = phi i64 [ %.112.fca.1.load.i.i.i.i, %B156.i.i.i.i ], [ %.75.i.i.i.i, %B132.i.i.i.i ]
  %.802.sroa.0.2.ph.i.i.i = phi i64 [ %.112.fca.0.load.i.i.i.i, %B156.i.i.i.i ], [ %.62.i.i.i.i, %B132.i.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i.i47.i.i)
  %.845.i.i.i = icmp eq i64 %.802.sroa.5.2.ph.i.i.i, -1
  %.848.i.i.i = icmp ugt i64 %.802.sroa.0.2.ph.i.i.i, 4294967295
  %or.cond.i.i.i = select i1 %.845.i.i.i, i1 true, i1 %.848.i.i.i
  br i1 %or.cond.i.i.i, label %read_longs.exit.i.i, label %B572.i.i.i

B572.i.i.i:                                       ; preds = %read_number.exit.thread.i.i.i
  call fastcc void @read_wide(ptr nonnull %.906.i.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %.802.sroa.5.2.ph.i.i.i)
  %.922.fca.1.load.i.i.i = load i64, ptr %sunkaddr181.i.i.i, align 8
  %.949.i.i.i = icmp eq i64 %.922.fca.1.load.i.i.i, -1
  br i1 %.949.i.i.i, label %read_longs.exit.i.i, label %B646.endif.endif.i.i.i

B646.endif.endif.i.i.i:                           ; preds = %B572.i.i.i
  %.922.fca.0.load.i.i.i = load i64, ptr %.906.i.i.i, align 8
  %.5.i.i.i.i = lshr i64 %.802.sroa.0.2.ph.i.i.i, 1
  %.6.i.i.i.i = and i64 %.802.sroa.0.2.ph.i.i.i, 1
  %.8.i.i.i.i = sub nsw i64 0, %.6.i.i.i.i
  %.9.i.i.i.i = xor i64 %.5.i.i.i.i, %.8.i.i.i.i
  %.5.i42.i.i.i = lshr i64 %.922.fca.0.load.i.i.i, 1
  %.6.i43.i.i.i = and i64 %.922.fca.0.load.i.i.i, 1
  %.8.i44.i.i.i = sub nsw i64 0, %.6.i43.i.i.i
  %.9.i45.i.i.i = xor i64 %.5.i42.i.i.i, %.8.i44.i.i.i
  %30 = shl i64 %lsr.iv.i.i.i, 2
  %scevgep192.i.i.i = getelementptr i8, ptr %scevgep191.i.i.i, i64 %30
  %.1098.i.i.i = trunc i64 %.9.i.i.i.i to i32
  store i32 %.1098.i.i.i, ptr %scevgep192.i.i.i, align 4
  %31 = shl i64 %lsr.iv.i.i.i, 3
  %scevgep190.i.i.i = getelementptr i8, ptr %scevgep.i.i.i, i64 %31
  store i64 %.9.i45.i.i.i, ptr %scevgep190.i.i.i, align 8
  %lsr.iv.next.i.i.i = add nuw i64 %lsr.iv.i.i.i, 1
  %.1140.not22.i.i.i = icmp eq i64 %count.2.0.i.i70.i.i, %lsr.iv.next.i.i.i
  br i1 %.1140.not22.i.i.i, label %B46.i.i.i, label %B476.i.i.i

read_longs.exit.i.i: ; preds = %read_count.exit.i68.i.i, %B572.i.i.i, %read_number.exit.thread.i.i.i, %B288.i.i.i, %B154.i.i.i
  %.sink.i.i.i = phi i64 [ %position.1.2.0.i.i69.i.i, %B154.i.i.i ], [ -1, %B572.i.i.i ], [ -2, %B288.i.i.i ], [ -1, %read_number.exit.thread.i.i.i ], [ -1, %read_count.exit.i68.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.906.i.i.i)
  %sunkaddr605.i.i = getelementptr i8, ptr %sunkaddr159.i.i.i, i64 8
  %.1469.i.i = load i64, ptr %sunkaddr605.i.i, align 8
  %.1496.i.i = getelementptr i32, ptr %arg.ints, i64 %.459.i.i
  %.1497.i.i = trunc i64 %.1469.i.i to i32
  store i32 %.1497.i.i, ptr %.1496.i.i, align 4
  br label %B1420.i.i

B1168.i.i:                                        ; preds = %B812.i.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.913.i.i.i)
  store i64 0, ptr %.913.i.i.i, align 8
  %.905.i.i.i = add i64 %.342.i.i, 4
  %sunkaddr158.i95.i.i = shl i64 %.342.i.i, 3
  %sunkaddr159.i96.i.i = getelementptr i8, ptr %arg.used, i64 %sunkaddr158.i95.i.i
  %sunkaddr160.i97.i.i = getelementptr i8, ptr %sunkaddr159.i96.i.i, i64 24
  %sunkaddr163.i98.i.i = getelementptr i8, ptr %arg.rooms, i64 %sunkaddr158.i95.i.i
  %sunkaddr165.i99.i.i = getelementptr i8, ptr %sunkaddr163.i98.i.i, i64 24
  %sunkaddr168.i100.i.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr158.i95.i.i
  %sunkaddr169.i101.i.i = getelementptr i8, ptr %sunkaddr168.i100.i.i, i64 16
  %sunkaddr172.i102.i.i = getelementptr i8, ptr %sunkaddr159.i96.i.i, i64 16
  %sunkaddr176.i103.i.i = getelementptr i8, ptr %sunkaddr168.i100.i.i, i64 24
  %sunkaddr183.i.i.i = getelementptr i8, ptr %sunkaddr159.i96.i.i, i64 32
  br label %B46.i105.i.i

B46.i105.i.i:                                     ; preds = %B658.endif.i.i.i, %B1168.i.i
  %position.4.0.i106.i.i = phi i64 [ %position.8.2.i.i, %B1168.i.i ], [ %.939.i.i.i, %B658.endif.i.i.i ]
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i92.i.i)
  %.32.i.i.i107.i.i = icmp ult i64 %position.4.0.i106.i.i, %arg.data_0
  br i1 %.32.i.i.i107.i.i, label %B68.i.i.i195.i.i, label %B156.i.i.i108.i.i

B68.i.i.i195.i.i:                                 ; preds = %B46.i105.i.i
  %.60.i.i.i196.i.i = getelementptr i8, ptr %arg.data, i64 %position.4.0.i106.i.i
  %.61.i.i.i197.i.i = load i8, ptr %.60.i.i.i196.i.i, align 1
  %.67.i.i.i198.i.i = icmp sgt i8 %.61.i.i.i197.i.i, -1
  br i1 %.67.i.i.i198.i.i, label %B132.i.i.i199.i.i, label %B156.i.i.i108.i.i

B132.i.i.i199.i.i:                                ; preds = %B68.i.i.i195.i.i
  %.62.i.i.i200.i.i = zext nneg i8 %.61.i.i.i197.i.i to i64
  %.75.i.i.i201.i.i = add nuw i64 %position.4.0.i106.i.i, 1
  br label %B0.endif.i.i111.i.i

B156.i.i.i108.i.i:                                ; preds = %B68.i.i.i195.i.i, %B46.i105.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i92.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %position.4.0.i106.i.i)
  %.112.fca.0.load.i.i.i109.i.i = load i64, ptr %.96.i1.i.i92.i.i, align 8
  %.112.fca.1.load.i.i.i110.i.i = load i64, ptr %sunkaddr.i.i.i94.i.i, align 8
  br label %B0.endif.i.i111.i.i

B84.i.i116.i.i:                                   ; preds = %B0.endif.i.i111.i.i
  %.89.i.i117.i.i = and i64 %.24.sroa.0.0.ph.i.i112.i.i, 1
  %.92.not.i.i118.i.i = icmp eq i64 %.89.i.i117.i.i, 0
  br i1 %.92.not.i.i118.i.i, label %read_count.exit.i126.i.i, label %B104.i.i119.i.i

B104.i.i119.i.i:                                  ; preds = %B84.i.i116.i.i
  %.95.i.i120.i.i = add nuw i64 %.71.i.i114.i.i, 1
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i92.i.i)
  %.32.i3.i.i121.i.i = icmp ult i64 %.24.sroa.4.0.ph.i.i113.i.i, %arg.data_0
  br i1 %.32.i3.i.i121.i.i, label %B68.i17.i.i189.i.i, label %B156.i4.i.i122.i.i

B68.i17.i.i189.i.i:                               ; preds = %B104.i.i119.i.i
  %.60.i18.i.i190.i.i = getelementptr i8, ptr %arg.data, i64 %.24.sroa.4.0.ph.i.i113.i.i
  %.61.i19.i.i191.i.i = load i8, ptr %.60.i18.i.i190.i.i, align 1
  %.67.i20.i.i192.i.i = icmp sgt i8 %.61.i19.i.i191.i.i, -1
  br i1 %.67.i20.i.i192.i.i, label %B132.i21.i.i193.i.i, label %B156.i4.i.i122.i.i

B132.i21.i.i193.i.i:                              ; preds = %B68.i17.i.i189.i.i
  %.75.i23.i.i194.i.i = add nuw i64 %.24.sroa.4.0.ph.i.i113.i.i, 1
  br label %read_number.exit25.thread.i.i124.i.i

B156.i4.i.i122.i.i:                               ; preds = %B68.i17.i.i189.i.i, %B104.i.i119.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i92.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %.24.sroa.4.0.ph.i.i113.i.i)
  %.112.fca.1.load.i15.i.i123.i.i = load i64, ptr %sunkaddr.i.i.i94.i.i, align 8
  br label %read_number.exit25.thread.i.i124.i.i

read_number.exit25.thread.i.i124.i.i: ; preds = %B156.i4.i.i122.i.i, %B132.i21.i.i193.i.i
  %.103.sroa.3.0.ph.i.i125.i.i = phi i64 [ %.112.fca.1.load.i15.i.i123.i.i, %B156.i4.i.i122.i.i ], [ %.75.i23.i.i194.i.i, %B132.i21.i.i193.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i92.i.i)
  br label %read_count.exit.i126.i.i

B0.endif.i.i111.i.i:                              ; preds = %B156.i.i.i108.i.i, %B132.i.i.i199.i.i
  %.24.sroa.0.0.ph.i.i112.i.i = phi i64 [ %.112.fca.0.load.i.i.i109.i.i, %B156.i.i.i108.i.i ], [ %.62.i.i.i200.i.i, %B132.i.i.i199.i.i ]
  %.24.sroa.4.0.ph.i.i113.i.i = phi i64 [ %.112.fca.1.load.i.i.i110.i.i, %B156.i.i.i108.i.i ], [ %.75.i.i.i201.i.i, %B132.i.i.i199.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i92.i.i)
  %.71.i.i114.i.i = lshr i64 %.24.sroa.0.0.ph.i.i112.i.i, 1
  %.80.not.i.i115.i.i = icmp eq i64 %.24.sroa.4.0.ph.i.i113.i.i, -1
  br i1 %.80.not.i.i115.i.i, label %read_count.exit.i126.i.i, label %B84.i.i116.i.i

read_count.exit.i126.i.i: ; preds = %B0.endif.i.i111.i.i, %read_number.exit25.thread.i.i124.i.i, %B84.i.i116.i.i
  %position.1.2.0.i.i127.i.i = phi i64 [ -1, %B0.endif.i.i111.i.i ], [ %.24.sroa.4.0.ph.i.i113.i.i, %B84.i.i116.i.i ], [ %.103.sroa.3.0.ph.i.i125.i.i, %read_number.exit25.thread.i.i124.i.i ]
  %count.2.0.i.i128.i.i = phi i64 [ %.71.i.i114.i.i, %B0.endif.i.i111.i.i ], [ %.71.i.i114.i.i, %B84.i.i116.i.i ], [ %.95.i.i120.i.i, %read_number.exit25.thread.i.i124.i.i ]
  %.164.i.i129.i.i = sub i64 %arg.data_0, %position.1.2.0.i.i127.i.i
  %.169.i.i130.i.i = icmp ne i64 %position.1.2.0.i.i127.i.i, -1
  %.173.i.i131.i.i = icmp ule i64 %count.2.0.i.i128.i.i, %.164.i.i129.i.i
  %.177.i.i132.i.i = shl i64 %count.2.0.i.i128.i.i, 1
  %.181.i.i133.i.i = icmp ule i64 %.177.i.i132.i.i, %.164.i.i129.i.i
  %.not23.i134.i.i = and i1 %.173.i.i131.i.i, %.181.i.i133.i.i
  %or.cond71.i.not.i135.i.i = select i1 %.169.i.i130.i.i, i1 %.not23.i134.i.i, i1 false
  br i1 %or.cond71.i.not.i135.i.i, label %B132.i136.i.i, label %read_blobs.exit.i.i

B132.i136.i.i:                                    ; preds = %read_count.exit.i126.i.i
  %.218.i137.i.i = icmp eq i64 %count.2.0.i.i128.i.i, 0
  br i1 %.218.i137.i.i, label %B154.i186.i.i, label %B196.i138.i.i

B154.i186.i.i:                                    ; preds = %B132.i136.i.i
  %.281.i187.i.i = load i64, ptr %sunkaddr172.i102.i.i, align 8
  %.313.i188.i.i = getelementptr i8, ptr %.457.i.i, i64 8
  store i64 %.281.i187.i.i, ptr %.313.i188.i.i, align 8
  br label %read_blobs.exit.i.i

B196.i138.i.i:                                    ; preds = %B132.i136.i.i
  %.352.i139.i.i = load i64, ptr %sunkaddr160.i97.i.i, align 8
  %.354.i140.i.i = add i64 %.352.i139.i.i, %count.2.0.i.i128.i.i
  %.382.i141.i.i = load i64, ptr %sunkaddr165.i99.i.i, align 8
  %.383.i142.i.i = icmp ugt i64 %.354.i140.i.i, %.382.i141.i.i
  %spec.select.v.i143.i.i = select i1 %.383.i142.i.i, i64 3, i64 2
  %spec.select.i144.i.i = add i64 %spec.select.v.i143.i.i, %.342.i.i
  %.426.i145.i.i = getelementptr i64, ptr %arg.used, i64 %spec.select.i144.i.i
  %.427.i146.i.i = load i64, ptr %.426.i145.i.i, align 8
  %.429.i147.i.i = add i64 %.427.i146.i.i, %count.2.0.i.i128.i.i
  %.456.i148.i.i = getelementptr i64, ptr %arg.rooms, i64 %spec.select.i144.i.i
  %.457.i149.i.i = load i64, ptr %.456.i148.i.i, align 8
  %.458.i150.i.i = icmp ugt i64 %.429.i147.i.i, %.457.i149.i.i
  br i1 %.458.i150.i.i, label %B288.i185.i.i, label %B322.i151.i.i

B288.i185.i.i:                                    ; preds = %B196.i138.i.i
  store i64 %spec.select.i144.i.i, ptr %arg.stack, align 8
  br label %read_blobs.exit.i.i

B322.i151.i.i:                                    ; preds = %B196.i138.i.i
  %.580.i152.i.i = load i64, ptr %sunkaddr169.i101.i.i, align 8
  %.608.i153.i.i = load i64, ptr %sunkaddr172.i102.i.i, align 8
  %.609.i154.i.i = add i64 %.608.i153.i.i, %.580.i152.i.i
  %.637.i155.i.i = load i64, ptr %sunkaddr176.i103.i.i, align 8
  %.666.i156.i.i = add i64 %.637.i155.i.i, %.352.i139.i.i
  %.702.i157.i.i = add i64 %.608.i153.i.i, %count.2.0.i.i128.i.i
  store i64 %.702.i157.i.i, ptr %sunkaddr172.i102.i.i, align 8
  store i64 %.354.i140.i.i, ptr %sunkaddr160.i97.i.i, align 8
  %32 = shl i64 %.666.i156.i.i, 2
  %scevgep.i158.i.i = getelementptr i8, ptr %arg.ints, i64 %32
  %33 = shl i64 %.609.i154.i.i, 2
  %scevgep179.i.i.i = getelementptr i8, ptr %arg.ints, i64 %33
  br label %B476.i159.i.i

B476.i159.i.i:                                    ; preds = %B658.endif.i.i.i, %B322.i151.i.i
  %lsr.iv.i160.i.i = phi i64 [ 0, %B322.i151.i.i ], [ %lsr.iv.next.i177.i.i, %B658.endif.i.i.i ]
  %position.6.1.i161.i.i = phi i64 [ %position.1.2.0.i.i127.i.i, %B322.i151.i.i ], [ %.939.i.i.i, %B658.endif.i.i.i ]
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i.i93.i.i)
  %.32.i.i162.i.i = icmp ult i64 %position.6.1.i161.i.i, %arg.data_0
  br i1 %.32.i.i162.i.i, label %B68.i.i178.i.i, label %B156.i.i163.i.i

B68.i.i178.i.i:                                   ; preds = %B476.i159.i.i
  %.60.i.i179.i.i = getelementptr i8, ptr %arg.data, i64 %position.6.1.i161.i.i
  %.61.i.i180.i.i = load i8, ptr %.60.i.i179.i.i, align 1
  %.67.i.i181.i.i = icmp sgt i8 %.61.i.i180.i.i, -1
  br i1 %.67.i.i181.i.i, label %B132.i.i182.i.i, label %B156.i.i163.i.i

B132.i.i182.i.i:                                  ; preds = %B68.i.i178.i.i
  %.62.i.i183.i.i = zext nneg i8 %.61.i.i180.i.i to i64
  %.75.i.i184.i.i = add nuw i64 %position.6.1.i161.i.i, 1
  br label %read_number.exit.thread.i166.i.i

B156.i.i163.i.i:                                  ; preds = %B68.i.i178.i.i, %B476.i159.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i.i93.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %position.6.1.i161.i.i)
  %.112.fca.0.load.i.i164.i.i = load i64, ptr %.96.i.i93.i.i, align 8
  %.112.fca.1.load.i.i165.i.i = load i64, ptr %sunkaddr180.i104.i.i, align 8
  br label %read_number.exit.thread.i166.i.i

read_number.exit.thread.i166.i.i: ; preds = %B156.i.i163.i.i, %B132.i.i182.i.i
  %.802.sroa.5.2.ph.i167.i.i = phi i64 [ %.112.fca.1.load.i.i165.i.i, %B156.i.i163.i.i ], [ %.75.i.i184.i.i, %B132.i.i182.i.i ]
  %.802.sroa.0.2.ph.i168.i.i = phi i64 [ %.112.fca.0.load.i.i164.i.i, %B156.i.i163.i.i ], [ %.62.i.i183.i.i, %B132.i.i182.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i.i93.i.i)
  %.845.i169.i.i = icmp eq i64 %.802.sroa.5.2.ph.i167.i.i, -1
  %.848.i170.i.i = icmp ugt i64 %.802.sroa.0.2.ph.i168.i.i, 4294967295
  %or.cond.i171.i.i = select i1 %.845.i169.i.i, i1 true, i1 %.848.i170.i.i
  br i1 %or.cond.i171.i.i, label %read_blobs.exit.i.i, label %B572.i172.i.i

B572.i172.i.i:                                    ; preds = %read_number.exit.thread.i166.i.i
  store i64 0, ptr %.913.i.i.i, align 8
  call fastcc void @read_bytes(ptr nonnull %.913.i.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %.802.sroa.5.2.ph.i167.i.i, i64 %.905.i.i.i, ptr %arg.octets, ptr nonnull readonly %arg.starts, ptr nonnull readonly %arg.rooms, ptr nonnull %arg.used, ptr nonnull %arg.stack)
  %.939.i.i.i = load i64, ptr %.913.i.i.i, align 8
  %.955.i.i.i = icmp ugt i64 %.939.i.i.i, -3
  br i1 %.955.i.i.i, label %read_blobs.exit.i.i, label %B658.endif.i.i.i

B658.endif.i.i.i:                                 ; preds = %B572.i172.i.i
  %.5.i.i173.i.i = lshr i64 %.802.sroa.0.2.ph.i168.i.i, 1
  %.6.i.i174.i.i = and i64 %.802.sroa.0.2.ph.i168.i.i, 1
  %.8.i.i175.i.i = sub nsw i64 0, %.6.i.i174.i.i
  %.9.i.i176.i.i = xor i64 %.5.i.i173.i.i, %.8.i.i175.i.i
  %.1076.i.i.i = load i64, ptr %sunkaddr183.i.i.i, align 8
  %34 = shl i64 %lsr.iv.i160.i.i, 2
  %scevgep180.i.i.i = getelementptr i8, ptr %scevgep179.i.i.i, i64 %34
  %.1104.i.i.i = trunc i64 %.9.i.i176.i.i to i32
  store i32 %.1104.i.i.i, ptr %scevgep180.i.i.i, align 4
  %scevgep178.i.i.i = getelementptr i8, ptr %scevgep.i158.i.i, i64 %34
  %.1133.i.i.i = trunc i64 %.1076.i.i.i to i32
  store i32 %.1133.i.i.i, ptr %scevgep178.i.i.i, align 4
  %lsr.iv.next.i177.i.i = add nuw i64 %lsr.iv.i160.i.i, 1
  %.1147.not22.i.i.i = icmp eq i64 %count.2.0.i.i128.i.i, %lsr.iv.next.i177.i.i
  br i1 %.1147.not22.i.i.i, label %B46.i105.i.i, label %B476.i159.i.i

read_blobs.exit.i.i: ; preds = %read_count.exit.i126.i.i, %B572.i172.i.i, %read_number.exit.thread.i166.i.i, %B288.i185.i.i, %B154.i186.i.i
  %.939.lcssa.sink.i.i.i = phi i64 [ %position.1.2.0.i.i127.i.i, %B154.i186.i.i ], [ -1, %read_number.exit.thread.i166.i.i ], [ -2, %B288.i185.i.i ], [ %.939.i.i.i, %B572.i172.i.i ], [ -1, %read_count.exit.i126.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.913.i.i.i)
  %sunkaddr608.i.i = getelementptr i8, ptr %sunkaddr159.i96.i.i, i64 8
  %.1592.i.i = load i64, ptr %sunkaddr608.i.i, align 8
  %.1619.i.i = getelementptr i32, ptr %arg.ints, i64 %.459.i.i
  %.1620.i.i = trunc i64 %.1592.i.i to i32
  store i32 %.1620.i.i, ptr %.1619.i.i, align 4
  br label %B1420.i.i

B1276.i.i:                                        ; preds = %B812.i.i
  %.1637.i.i = add i64 %.342.i.i, 1
  store i64 0, ptr %.1645.i.i, align 8
  call fastcc void @read_bytes(ptr nonnull %.1645.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %position.8.2.i.i, i64 %.1637.i.i, ptr %arg.octets, ptr nonnull readonly %arg.starts, ptr nonnull readonly %arg.rooms, ptr nonnull %arg.used, ptr nonnull %arg.stack)
  %.1671.i.i = load i64, ptr %.1645.i.i, align 8
  %sunkaddr609.i.i = shl i64 %.342.i.i, 3
  %sunkaddr610.i.i = getelementptr i8, ptr %arg.used, i64 %sunkaddr609.i.i
  %sunkaddr611.i.i = getelementptr i8, ptr %sunkaddr610.i.i, i64 8
  %.1713.i.i = load i64, ptr %sunkaddr611.i.i, align 8
  %.1740.i.i = getelementptr i32, ptr %arg.ints, i64 %.459.i.i
  %.1741.i.i = trunc i64 %.1713.i.i to i32
  store i32 %.1741.i.i, ptr %.1740.i.i, align 4
  br label %B1420.i.i

B1376.i.i:                                        ; preds = %B812.i.i
  br i1 %.461.i.i, label %B26.i222.i.i, label %B158.i.i.i

B26.i222.i.i:                                     ; preds = %B1376.i.i
  %.98.i.i.i = sub i64 %arg.data_0, %position.8.2.i.i
  %.100.i.i.i = icmp ugt i64 %.391.i.i, %.98.i.i.i
  br i1 %.100.i.i.i, label %B212.i, label %B110.i.i.i

B110.i.i.i:                                       ; preds = %B26.i222.i.i
  %.42.i.i223.i.i = icmp ult i64 %.391.i.i, 17
  %.56.i.i.i.i = icmp ugt i64 %.98.i.i.i, 15
  %or.cond.i.i224.i.i = and i1 %.56.i.i.i.i, %.42.i.i223.i.i
  br i1 %or.cond.i.i224.i.i, label %B106.endif.endif.endif.endif.i.i.i.i, label %B274.i.i.i.i

B274.i.i.i.i:                                     ; preds = %B110.i.i.i
  %.200.not.i.i.i.i = icmp eq i64 %.391.i.i, 0
  br i1 %.200.not.i.i.i.i, label %copy.exit.i.i.i, label %iter.check.i.i.i.i

iter.check.i.i.i.i:                               ; preds = %B274.i.i.i.i
  %35 = getelementptr i8, ptr %arg.data, i64 %position.8.2.i.i
  %36 = getelementptr i8, ptr %arg.octets, i64 %.459.i.i
  %min.iters.check.i.i.i.i = icmp ult i64 %.391.i.i, 4
  br i1 %min.iters.check.i.i.i.i, label %B300.preheader.i.i.i.i, label %vector.memcheck.i.i.i.i

vector.memcheck.i.i.i.i:                          ; preds = %iter.check.i.i.i.i
  %37 = add i64 %position.8.2.i.i, %1
  %.neg2.i.i.i.i = sub i64 %0, %37
  %38 = add i64 %.neg2.i.i.i.i, %.459.i.i
  %diff.check.i.i.i.i = icmp ult i64 %38, 32
  br i1 %diff.check.i.i.i.i, label %B300.preheader.i.i.i.i, label %vector.main.loop.iter.check.i.i.i.i

vector.main.loop.iter.check.i.i.i.i:              ; preds = %vector.memcheck.i.i.i.i
  %min.iters.check6.i.i.i.i = icmp ult i64 %.391.i.i, 32
  br i1 %min.iters.check6.i.i.i.i, label %vec.epilog.ph.i.i.i.i, label %vector.ph.i.i.i.i

vector.ph.i.i.i.i:                                ; preds = %vector.main.loop.iter.check.i.i.i.i
  %n.vec.i.i.i.i = and i64 %.391.i.i, -32
  br label %vector.body.i.i.i.i

vector.body.i.i.i.i:                              ; preds = %vector.body.i.i.i.i, %vector.ph.i.i.i.i
  %index.i.i.i.i = phi i64 [ 0, %vector.ph.i.i.i.i ], [ %index.next.i.i.i.i, %vector.body.i.i.i.i ]
  %sunkaddr.i1.i.i.i = getelementptr i8, ptr %35, i64 %index.i.i.i.i
  %wide.load.i.i.i.i = load <16 x i8>, ptr %sunkaddr.i1.i.i.i, align 1
  %sunkaddr14.i.i225.i.i = getelementptr i8, ptr %sunkaddr.i1.i.i.i, i64 16
  %wide.load7.i.i.i.i = load <16 x i8>, ptr %sunkaddr14.i.i225.i.i, align 1
  %sunkaddr15.i.i226.i.i = getelementptr i8, ptr %36, i64 %index.i.i.i.i
  store <16 x i8> %wide.load.i.i.i.i, ptr %sunkaddr15.i.i226.i.i, align 1
  %sunkaddr17.i.i227.i.i = getelementptr i8, ptr %sunkaddr15.i.i226.i.i, i64 16
  store <16 x i8> %wide.load7.i.i.i.i, ptr %sunkaddr17.i.i227.i.i, align 1
  %index.next.i.i.i.i = add nuw i64 %index.i.i.i.i, 32
  %39 = icmp eq i64 %n.vec.i.i.i.i, %index.next.i.i.i.i
  br i1 %39, label %middle.block.i.i.i.i, label %vector.body.i.i.i.i

middle.block.i.i.i.i:                             ; preds = %vector.body.i.i.i.i
  %cmp.n.i.i.i.i = icmp eq i64 %.391.i.i, %n.vec.i.i.i.i
  br i1 %cmp.n.i.i.i.i, label %copy.exit.i.i.i, label %vec.epilog.iter.check.i.i.i.i

vec.epilog.iter.check.i.i.i.i:                    ; preds = %middle.block.i.i.i.i
  %40 = and i64 %.391.i.i, 28
  %min.epilog.iters.check.i.i.i.i = icmp eq i64 %40, 0
  br i1 %min.epilog.iters.check.i.i.i.i, label %B300.preheader.i.i.i.i, label %vec.epilog.ph.i.i.i.i

vec.epilog.ph.i.i.i.i:                            ; preds = %vec.epilog.iter.check.i.i.i.i, %vector.main.loop.iter.check.i.i.i.i
  %vec.epilog.resume.val.i.i.i.i = phi i64 [ %n.vec.i.i.i.i, %vec.epilog.iter.check.i.i.i.i ], [ 0, %vector.main.loop.iter.check.i.i.i.i ]
  %n.vec9.i.i.i.i = and i64 %.391.i.i, -4
  br label %vec.epilog.vector.body.i.i.i.i

vec.epilog.vector.body.i.i.i.i:                   ; preds = %vec.epilog.vector.body.i.i.i.i, %vec.epilog.ph.i.i.i.i
  %index10.i.i.i.i = phi i64 [ %vec.epilog.resume.val.i.i.i.i, %vec.epilog.ph.i.i.i.i ], [ %index.next12.i.i.i.i, %vec.epilog.vector.body.i.i.i.i ]
  %41 = getelementptr i8, ptr %35, i64 %index10.i.i.i.i
  %wide.load11.i.i.i.i = load <4 x i8>, ptr %41, align 1
  %42 = getelementptr i8, ptr %36, i64 %index10.i.i.i.i
  store <4 x i8> %wide.load11.i.i.i.i, ptr %42, align 1
  %index.next12.i.i.i.i = add nuw i64 %index10.i.i.i.i, 4
  %43 = icmp eq i64 %n.vec9.i.i.i.i, %index.next12.i.i.i.i
  br i1 %43, label %vec.epilog.middle.block.i.i.i.i, label %vec.epilog.vector.body.i.i.i.i

vec.epilog.middle.block.i.i.i.i:                  ; preds = %vec.epilog.vector.body.i.i.i.i
  %cmp.n13.i.i.i.i = icmp eq i64 %.391.i.i, %n.vec9.i.i.i.i
  br i1 %cmp.n13.i.i.i.i, label %copy.exit.i.i.i, label %B300.preheader.i.i.i.i

B300.preheader.i.i.i.i:                           ; preds = %vec.epilog.middle.block.i.i.i.i, %vec.epilog.iter.check.i.i.i.i, %vector.memcheck.i.i.i.i, %iter.check.i.i.i.i
  %done.2.0.ph.i.i.i.i = phi i64 [ 0, %iter.check.i.i.i.i ], [ 0, %vector.memcheck.i.i.i.i ], [ %n.vec.i.i.i.i, %vec.epilog.iter.check.i.i.i.i ], [ %n.vec9.i.i.i.i, %vec.epilog.middle.block.i.i.i.i ]
  %xtraiter.i.i.i.i = and i64 %.391.i.i, 3
  %lcmp.mod.not.i.i.i.i = icmp eq i64 %xtraiter.i.i.i.i, 0
  br i1 %lcmp.mod.not.i.i.i.i, label %B300.prol.loopexit.i.i.i.i, label %B300.prol.i.i.i.i

B300.prol.i.i.i.i:                                ; preds = %B300.preheader.i.i.i.i, %B300.prol.i.i.i.i
  %lsr.iv.i.i228.i.i = phi i64 [ %lsr.iv.next.i.i229.i.i, %B300.prol.i.i.i.i ], [ %xtraiter.i.i.i.i, %B300.preheader.i.i.i.i ]
  %done.2.0.prol.i.i.i.i = phi i64 [ %.263.prol.i.i.i.i, %B300.prol.i.i.i.i ], [ %done.2.0.ph.i.i.i.i, %B300.preheader.i.i.i.i ]
  %.230.prol.i.i.i.i = getelementptr i8, ptr %35, i64 %done.2.0.prol.i.i.i.i
  %.231.prol.i.i.i.i = load i8, ptr %.230.prol.i.i.i.i, align 1
  %.260.prol.i.i.i.i = getelementptr i8, ptr %36, i64 %done.2.0.prol.i.i.i.i
  store i8 %.231.prol.i.i.i.i, ptr %.260.prol.i.i.i.i, align 1
  %.263.prol.i.i.i.i = add nuw nsw i64 %done.2.0.prol.i.i.i.i, 1
  %lsr.iv.next.i.i229.i.i = add nsw i64 %lsr.iv.i.i228.i.i, -1
  %prol.iter.cmp.not.i.i.i.i = icmp eq i64 %lsr.iv.next.i.i229.i.i, 0
  br i1 %prol.iter.cmp.not.i.i.i.i, label %B300.prol.loopexit.i.i.i.i, label %B300.prol.i.i.i.i

B300.prol.loopexit.i.i.i.i:                       ; preds = %B300.prol.i.i.i.i, %B300.preheader.i.i.i.i
  %done.2.0.unr.i.i.i.i = phi i64 [ %done.2.0.ph.i.i.i.i, %B300.preheader.i.i.i.i ], [ %.263.prol.i.i.i.i, %B300.prol.i.i.i.i ]
  %44 = sub i64 %done.2.0.ph.i.i.i.i, %.391.i.i
  %45 = icmp ugt i64 %44, -4
  br i1 %45, label %copy.exit.i.i.i, label %B300.preheader14.i.i.i.i

B300.preheader14.i.i.i.i:                         ; preds = %B300.prol.loopexit.i.i.i.i
  %scevgep.i.i230.i.i = getelementptr i8, ptr %36, i64 3
  %scevgep22.i.i.i.i = getelementptr i8, ptr %35, i64 3
  br label %B300.i.i.i.i

B300.i.i.i.i:                                     ; preds = %B300.i.i.i.i, %B300.preheader14.i.i.i.i
  %done.2.0.i.i.i.i = phi i64 [ %.263.3.i.i.i.i, %B300.i.i.i.i ], [ %done.2.0.unr.i.i.i.i, %B300.preheader14.i.i.i.i ]
  %scevgep26.i.i.i.i = getelementptr i8, ptr %scevgep22.i.i.i.i, i64 %done.2.0.i.i.i.i
  %scevgep27.i.i.i.i = getelementptr i8, ptr %scevgep26.i.i.i.i, i64 -3
  %.231.i.i.i.i = load i8, ptr %scevgep27.i.i.i.i, align 1
  %scevgep18.i.i.i.i = getelementptr i8, ptr %scevgep.i.i230.i.i, i64 %done.2.0.i.i.i.i
  %scevgep19.i.i.i.i = getelementptr i8, ptr %scevgep18.i.i.i.i, i64 -3
  store i8 %.231.i.i.i.i, ptr %scevgep19.i.i.i.i, align 1
  %scevgep12.i.i231.i.i = getelementptr i8, ptr %scevgep26.i.i.i.i, i64 -2
  %.231.1.i.i.i.i = load i8, ptr %scevgep12.i.i231.i.i, align 1
  %scevgep21.i.i.i.i = getelementptr i8, ptr %scevgep18.i.i.i.i, i64 -2
  store i8 %.231.1.i.i.i.i, ptr %scevgep21.i.i.i.i, align 1
  %scevgep9.i.i232.i.i = getelementptr i8, ptr %scevgep26.i.i.i.i, i64 -1
  %.231.2.i.i.i.i = load i8, ptr %scevgep9.i.i232.i.i, align 1
  %scevgep7.i.i.i.i = getelementptr i8, ptr %scevgep18.i.i.i.i, i64 -1
  store i8 %.231.2.i.i.i.i, ptr %scevgep7.i.i.i.i, align 1
  %.231.3.i.i.i.i = load i8, ptr %scevgep26.i.i.i.i, align 1
  store i8 %.231.3.i.i.i.i, ptr %scevgep18.i.i.i.i, align 1
  %.263.3.i.i.i.i = add nuw i64 %done.2.0.i.i.i.i, 4
  %exitcond.not.3.i.i.i.i = icmp eq i64 %.391.i.i, %.263.3.i.i.i.i
  br i1 %exitcond.not.3.i.i.i.i, label %copy.exit.i.i.i, label %B300.i.i.i.i

B106.endif.endif.endif.endif.i.i.i.i:             ; preds = %B110.i.i.i
  %.41.i.i.i233.i.i = getelementptr i8, ptr %arg.data, i64 %position.8.2.i.i
  %.42.i.i.i234.i.i = load i64, ptr %.41.i.i.i233.i.i, align 1
  %.41.i1.i.i235.i.i = getelementptr i8, ptr %.41.i.i.i233.i.i, i64 8
  %.42.i2.i.i236.i.i = load i64, ptr %.41.i1.i.i235.i.i, align 1
  %.43.i.i.i.i.i = getelementptr i8, ptr %arg.octets, i64 %.459.i.i
  store i64 %.42.i.i.i234.i.i, ptr %.43.i.i.i.i.i, align 1
  %.43.i3.i.i.i.i = getelementptr i8, ptr %.43.i.i.i.i.i, i64 8
  store i64 %.42.i2.i.i236.i.i, ptr %.43.i3.i.i.i.i, align 1
  br label %copy.exit.i.i.i

copy.exit.i.i.i: ; preds = %B300.i.i.i.i, %B106.endif.endif.endif.endif.i.i.i.i, %B300.prol.loopexit.i.i.i.i, %vec.epilog.middle.block.i.i.i.i, %middle.block.i.i.i.i, %B274.i.i.i.i
  %.170.i.i.i = add i64 %.391.i.i, %position.8.2.i.i
  br label %B1420.i.i

B158.i.i.i:                                       ; preds = %B1376.i.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i.i202.i.i)
  %.32.i.i203.i.i = icmp ugt i64 %arg.data_0, %position.8.2.i.i
  br i1 %.32.i.i203.i.i, label %B68.i.i215.i.i, label %B156.i.i204.i.i

B68.i.i215.i.i:                                   ; preds = %B158.i.i.i
  %.60.i.i216.i.i = getelementptr i8, ptr %arg.data, i64 %position.8.2.i.i
  %.61.i.i217.i.i = load i8, ptr %.60.i.i216.i.i, align 1
  %.67.i.i218.i.i = icmp sgt i8 %.61.i.i217.i.i, -1
  br i1 %.67.i.i218.i.i, label %B132.i.i219.i.i, label %B156.i.i204.i.i

B132.i.i219.i.i:                                  ; preds = %B68.i.i215.i.i
  %.62.i.i220.i.i = zext nneg i8 %.61.i.i217.i.i to i64
  %.75.i.i221.i.i = add nuw i64 %position.8.2.i.i, 1
  br label %read_number.exit.thread.i208.i.i

B156.i.i204.i.i:                                  ; preds = %B68.i.i215.i.i, %B158.i.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i.i202.i.i, ptr readonly %arg.data, i64 %arg.data_0, i64 %position.8.2.i.i)
  %.112.fca.0.load.i.i205.i.i = load i64, ptr %.96.i.i202.i.i, align 8
  %.112.fca.1.load.i.i207.i.i = load i64, ptr %sunkaddr.i.i206.i.i, align 8
  br label %read_number.exit.thread.i208.i.i

read_number.exit.thread.i208.i.i: ; preds = %B156.i.i204.i.i, %B132.i.i219.i.i
  %.187.sroa.4.0.ph.i.i.i = phi i64 [ %.112.fca.1.load.i.i207.i.i, %B156.i.i204.i.i ], [ %.75.i.i221.i.i, %B132.i.i219.i.i ]
  %.187.sroa.0.0.ph.i.i.i = phi i64 [ %.112.fca.0.load.i.i205.i.i, %B156.i.i204.i.i ], [ %.62.i.i220.i.i, %B132.i.i219.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i.i202.i.i)
  %.235.i.i.i = icmp eq i64 %.293.i.i, 0
  br i1 %.235.i.i.i, label %B218.endif.i.i.i, label %B256.i.i.i

B256.i.i.i:                                       ; preds = %read_number.exit.thread.i208.i.i
  %.314.i.i.i = icmp ult i64 %.187.sroa.0.0.ph.i.i.i, 4294967296
  br i1 %.314.i.i.i, label %B278.endif.i.i.i, label %B212.i

B218.endif.i.i.i:                                 ; preds = %read_number.exit.thread.i208.i.i
  %.5.i.i210.i.i = lshr i64 %.187.sroa.0.0.ph.i.i.i, 1
  %.6.i.i211.i.i = and i64 %.187.sroa.0.0.ph.i.i.i, 1
  %.8.i.i212.i.i = sub nsw i64 0, %.6.i.i211.i.i
  %.9.i.i213.i.i = xor i64 %.5.i.i210.i.i, %.8.i.i212.i.i
  %.298.i214.i.i = getelementptr i64, ptr %arg.longs, i64 %.459.i.i
  store i64 %.9.i.i213.i.i, ptr %.298.i214.i.i, align 8
  br label %B1420.i.i

B278.endif.i.i.i:                                 ; preds = %B256.i.i.i
  %.5.i1.i.i.i = lshr i64 %.187.sroa.0.0.ph.i.i.i, 1
  %.6.i2.i.i.i = and i64 %.187.sroa.0.0.ph.i.i.i, 1
  %.8.i3.i.i.i = sub nsw i64 0, %.6.i2.i.i.i
  %.9.i4.i.i.i = xor i64 %.5.i1.i.i.i, %.8.i3.i.i.i
  %.371.i.i.i = getelementptr i32, ptr %arg.ints, i64 %.459.i.i
  %.372.i209.i.i = trunc i64 %.9.i4.i.i.i to i32
  store i32 %.372.i209.i.i, ptr %.371.i.i.i, align 4
  br label %B1420.i.i

B1420.i.i:                                        ; preds = %B484.i.i.i.i, %B18.loopexit.i.i.i.i, %B278.endif.i.i.i, %B218.endif.i.i.i, %copy.exit.i.i.i, %B1276.i.i, %read_blobs.exit.i.i, %read_longs.exit.i.i, %B932.i.i, %B222.i.i.i, %B156.preheader.i.i.i, %B134.i45.i.i, %B98.i.i.i, %B62.i.i.i, %B26.i.i.i, %B964.i.i.i, %B952.i.i.i
  %null_until.5.4.i.i = phi i64 [ %spec.select1357.i.i, %B932.i.i ], [ %null_until.3.2.i.i, %B222.i.i.i ], [ %null_until.3.2.i.i, %B964.i.i.i ], [ %null_until.3.2.i.i, %read_longs.exit.i.i ], [ %null_until.3.2.i.i, %read_blobs.exit.i.i ], [ %null_until.3.2.i.i, %B1276.i.i ], [ %null_until.3.2.i.i, %B26.i.i.i ], [ %null_until.3.2.i.i, %B62.i.i.i ], [ %null_until.3.2.i.i, %B98.i.i.i ], [ %null_until.3.2.i.i, %B134.i45.i.i ], [ %null_until.3.2.i.i, %B156.preheader.i.i.i ], [ %null_until.3.2.i.i, %B218.endif.i.i.i ], [ %null_until.3.2.i.i, %copy.exit.i.i.i ], [ %null_until.3.2.i.i, %B278.endif.i.i.i ], [ %null_until.3.2.i.i, %B952.i.i.i ], [ %null_until.3.2.i.i, %B18.loopexit.i.i.i.i ], [ %null_until.3.2.i.i, %B484.i.i.i.i ]
  %position.12.4.i.i = phi i64 [ %.1107.sroa.5.5.ph.i.i, %B932.i.i ], [ %position.8.2.i.i, %B222.i.i.i ], [ %position.11.0.i.i.i, %B964.i.i.i ], [ %.sink.i.i.i, %read_longs.exit.i.i ], [ %.939.lcssa.sink.i.i.i, %read_blobs.exit.i.i ], [ %.1671.i.i, %B1276.i.i ], [ %position.8.2.i.i, %B26.i.i.i ], [ %position.8.2.i.i, %B62.i.i.i ], [ %position.8.2.i.i, %B98.i.i.i ], [ %position.8.2.i.i, %B134.i45.i.i ], [ %position.8.2.i.i, %B156.preheader.i.i.i ], [ %.187.sroa.4.0.ph.i.i.i, %B218.endif.i.i.i ], [ %.170.i.i.i, %copy.exit.i.i.i ], [ %.187.sroa.4.0.ph.i.i.i, %B278.endif.i.i.i ], [ %position.11.0.i.i.i, %B952.i.i.i ], [ %position.11.0.i.i.i, %B18.loopexit.i.i.i.i ], [ %position.11.0.i.i.i, %B484.i.i.i.i ]
  %.1802.i.i = icmp ugt i64 %position.12.4.i.i, -4
  br i1 %.1802.i.i, label %B1442.endif.i.i, label %B1476.i.i

B1476.i.i:                                        ; preds = %B1420.i.i
  %sunkaddr599.i.i = shl i64 %.342.i.i, 3
  %sunkaddr600.i.i = getelementptr i8, ptr %arg.used, i64 %sunkaddr599.i.i
  %.1949.i.i = load i64, ptr %sunkaddr600.i.i, align 8
  %.1951.i.i = add i64 %.1949.i.i, %spec.select.i.i
  store i64 %.1951.i.i, ptr %sunkaddr600.i.i, align 8
  %.1985.i.i = add i64 %at.4.2.i.i, 1
  %scevgep595.i.i = getelementptr i8, ptr %lsr.iv.i.i, i64 32
  %exitcond.not.i.i = icmp eq i64 %arg.program_0, %.1985.i.i
  br i1 %exitcond.not.i.i, label %B1542.i.i, label %B144.i.i

B1542.i.i:                                        ; preds = %B130.i.i, %B1476.i.i
  %position.11.3.i.i = phi i64 [ %position.12.4.i.i, %B1476.i.i ], [ %position.9.1.i.i, %B130.i.i ]
  %exitcond1537.not.i.i = icmp eq i64 %.200.i.i, %.275.i
  br i1 %exitcond1537.not.i.i, label %B216.i, label %B88.i.i

B1442.endif.i.i:                                  ; preds = %B1420.i.i, %B896.i.i.i, %read_key.exit.i.i.i
  %position.12.47.i.i = phi i64 [ %.404.sroa.7.2.i.i.i, %read_key.exit.i.i.i ], [ %position.9.3.i.i.i, %B896.i.i.i ], [ %position.12.4.i.i, %B1420.i.i ]
  %position.12.47.fr.i.i = freeze i64 %position.12.47.i.i
  %switch.selectcmp.i.i.i = icmp eq i64 %position.12.47.fr.i.i, -3
  %spec.select31.i.i = select i1 %switch.selectcmp.i.i.i, i64 3, i64 2
  %switch.selectcmp8.i.i.i = icmp eq i64 %position.12.47.fr.i.i, -2
  %spec.select32.i.i = select i1 %switch.selectcmp8.i.i.i, i64 1, i64 %spec.select31.i.i
  br label %B212.i

B212.i:                                           ; preds = %go_through.exit.i.i, %B256.i.i.i, %B26.i222.i.i, %read_number.exit.thread.i.i, %read_count.exit.i23.i.i, %read_number.exit.thread.i36.i.i.i, %B182.i.i.i.i.i, %B164.i.i.i.i.i, %read_number.exit.thread.i.i.i.i, %B1442.endif.i.i, %B1442.endif.thread.thread26.i.i, %B350.i.i
  %.sink.i.ph.i = phi i64 [ 2, %read_count.exit.i23.i.i ], [ %spec.select32.i.i, %B1442.endif.i.i ], [ 1, %B1442.endif.thread.thread26.i.i ], [ 1, %B350.i.i ], [ 2, %B256.i.i.i ], [ 3, %B182.i.i.i.i.i ], [ 2, %read_number.exit.thread.i.i.i.i ], [ 2, %read_number.exit.thread.i36.i.i.i ], [ 3, %B164.i.i.i.i.i ], [ 2, %read_number.exit.thread.i.i ], [ 2, %B26.i222.i.i ], [ 2, %go_through.exit.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.1645.i.i)
  br label %run.exit

B216.i:                                           ; preds = %B1542.i.i, %B86.i
  %position.12.471122.sink.i.i = phi i64 [ %position.2.0.i, %B86.i ], [ %position.11.3.i.i, %B1542.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.1645.i.i)
  %.472.i = load i64, ptr %lsr.iv.i, align 8
  %.476.not.i = icmp eq i64 %position.12.471122.sink.i.i, %.472.i
  br i1 %.476.not.i, label %B268.i, label %run.exit

B268.i:                                           ; preds = %B216.i
  %.551.i = add nuw i64 %block.2.0.i, 1
  %scevgep36.i = getelementptr i8, ptr %lsr.iv.i, i64 16
  %exitcond.not.i = icmp eq i64 %arg.blocks_0, %.551.i
  br i1 %exitcond.not.i, label %B352.i, label %B86.i

B352.i:                                           ; preds = %B268.i, %B0.endif.endif.endif.endi...endif.1.endif
  %.645.i = icmp sgt i64 %arg.slots_0, 0
  br i1 %.645.i, label %B390.i, label %B462.i

B390.i:                                           ; preds = %B352.i
  %.691.i = getelementptr i8, ptr %arg.slots, i64 48
  %.692.i = load i64, ptr %.691.i, align 8
  %.702.not.i = icmp eq i64 %.692.i, 0
  br i1 %.702.not.i, label %B462.i, label %run.exit

B462.i:                                           ; preds = %B390.i, %B352.i
  br label %run.exit

run.exit: ; preds = %B216.i, %B212.i, %B390.i, %B462.i
  %"$phi474.0.2.0.sink.i" = phi i64 [ 4, %B390.i ], [ %.sink.i.ph.i, %B212.i ], [ 0, %B462.i ], [ 2, %B216.i ]
  store i64 %"$phi474.0.2.0.sink.i", ptr %retptr, align 8
  ret i32 0
}

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #2

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define internal fastcc void @read_wide(ptr noalias nonnull writeonly captures(none) initializes((0, 16)) %retptr, ptr readonly captures(none) %arg.data.4, i64 %arg.data.5.0, i64 %arg.position) unnamed_addr #3 {
B0:
  %.32 = icmp ugt i64 %arg.data.5.0, %arg.position
  %.45 = sub i64 %arg.data.5.0, %arg.position
  %.46 = icmp ugt i64 %.45, 7
  %or.cond = and i1 %.32, %.46
  br i1 %or.cond, label %B148.endif, label %B360

B360:                                             ; preds = %B148.endif, %B0
  br i1 %.32, label %B86.preheader.i, label %common.ret

B86.preheader.i:                                  ; preds = %B360
  %.69.i = getelementptr i8, ptr %arg.data.4, i64 %arg.position
  %.70.i = load i8, ptr %.69.i, align 1
  %.76.i = add nuw i64 %arg.position, 1
  %0 = and i8 %.70.i, 127
  %1 = zext nneg i8 %0 to i64
  %.94.i = icmp sgt i8 %.70.i, -1
  br i1 %.94.i, label %B202.i, label %B282.i

B202.i:                                           ; preds = %B86.9.i, %B86.8.i, %B86.7.i, %B86.6.i, %B86.5.i, %B86.4.i, %B86.3.i, %B86.2.i, %B86.1.i, %B86.preheader.i
  %.102.i = phi i1 [ false, %B86.preheader.i ], [ false, %B86.1.i ], [ false, %B86.2.i ], [ false, %B86.3.i ], [ false, %B86.4.i ], [ false, %B86.5.i ], [ false, %B86.6.i ], [ false, %B86.7.i ], [ false, %B86.8.i ], [ true, %B86.9.i ]
  %.70.lcssa.i = phi i8 [ %.70.i, %B86.preheader.i ], [ %.70.1.i, %B86.1.i ], [ %.70.2.i, %B86.2.i ], [ %.70.3.i, %B86.3.i ], [ %.70.4.i, %B86.4.i ], [ %.70.5.i, %B86.5.i ], [ %.70.6.i, %B86.6.i ], [ %.70.7.i, %B86.7.i ], [ %.70.8.i, %B86.8.i ], [ %.70.9.i, %B86.9.i ]
  %.76.lcssa.i = phi i64 [ %.76.i, %B86.preheader.i ], [ %.76.1.i, %B86.1.i ], [ %.76.2.i, %B86.2.i ], [ %.76.3.i, %B86.3.i ], [ %.76.4.i, %B86.4.i ], [ %.76.5.i, %B86.5.i ], [ %.76.6.i, %B86.6.i ], [ %.76.7.i, %B86.7.i ], [ %.76.8.i, %B86.8.i ], [ %.76.9.i, %B86.9.i ]
  %.87.lcssa.i = phi i64 [ %1, %B86.preheader.i ], [ %.87.1.i, %B86.1.i ], [ %.87.2.i, %B86.2.i ], [ %.87.3.i, %B86.3.i ], [ %.87.4.i, %B86.4.i ], [ %.87.5.i, %B86.5.i ], [ %.87.6.i, %B86.6.i ], [ %.87.7.i, %B86.7.i ], [ %.87.8.i, %B86.8.i ], [ %.87.9.i, %B86.9.i ]
  %.107.i = icmp samesign ugt i8 %.70.lcssa.i, 1
  %or.cond.i = and i1 %.102.i, %.107.i
  %spec.select.i = select i1 %or.cond.i, i64 -1, i64 %.76.lcssa.i
  %spec.select112.i = select i1 %or.cond.i, i64 0, i64 %.87.lcssa.i
  br label %common.ret

B282.i:                                           ; preds = %B86.preheader.i
  %exitcond.not.i = icmp eq i64 %.76.i, %arg.data.5.0
  br i1 %exitcond.not.i, label %common.ret, label %B86.1.i

B86.1.i:                                          ; preds = %B282.i
  %sunkaddr2.i = getelementptr i8, ptr %.69.i, i64 1
  %.70.1.i = load i8, ptr %sunkaddr2.i, align 1
  %.76.1.i = add i64 %arg.position, 2
  %2 = and i8 %.70.1.i, 127
  %3 = zext nneg i8 %2 to i64
  %.85.1.i = shl nuw nsw i64 %3, 7
  %.87.1.i = or disjoint i64 %.85.1.i, %1
  %.94.1.i = icmp sgt i8 %.70.1.i, -1
  br i1 %.94.1.i, label %B202.i, label %B282.1.i

B282.1.i:                                         ; preds = %B86.1.i
  %exitcond.1.not.i = icmp eq i64 %.76.1.i, %arg.data.5.0
  br i1 %exitcond.1.not.i, label %common.ret, label %B86.2.i

B86.2.i:                                          ; preds = %B282.1.i
  %sunkaddr6.i = getelementptr i8, ptr %.69.i, i64 2
  %.70.2.i = load i8, ptr %sunkaddr6.i, align 1
  %.76.2.i = add i64 %arg.position, 3
  %4 = and i8 %.70.2.i, 127
  %5 = zext nneg i8 %4 to i64
  %.85.2.i = shl nuw nsw i64 %5, 14
  %.87.2.i = or disjoint i64 %.85.2.i, %.87.1.i
  %.94.2.i = icmp sgt i8 %.70.2.i, -1
  br i1 %.94.2.i, label %B202.i, label %B282.2.i

B282.2.i:                                         ; preds = %B86.2.i
  %exitcond.2.not.i = icmp eq i64 %.76.2.i, %arg.data.5.0
  br i1 %exitcond.2.not.i, label %common.ret, label %B86.3.i

B86.3.i:                                          ; preds = %B282.2.i
  %sunkaddr9.i = getelementptr i8, ptr %.69.i, i64 3
  %.70.3.i = load i8, ptr %sunkaddr9.i, align 1
  %.76.3.i = add i64 %arg.position, 4
  %6 = and i8 %.70.3.i, 127
  %7 = zext nneg i8 %6 to i64
  %.85.3.i = shl nuw nsw i64 %7, 21
  %.87.3.i = or disjoint i64 %.85.3.i, %.87.2.i
  %.94.3.i = icmp sgt i8 %.70.3.i, -1
  br i1 %.94.3.i, label %B202.i, label %B282.3.i

B282.3.i:                                         ; preds = %B86.3.i
  %exitcond.3.not.i = icmp eq i64 %.76.3.i, %arg.data.5.0
  br i1 %exitcond.3.not.i, label %common.ret, label %B86.4.i

B86.4.i:                                          ; preds = %B282.3.i
  %sunkaddr12.i = getelementptr i8, ptr %.69.i, i64 4
  %.70.4.i = load i8, ptr %sunkaddr12.i, align 1
  %.76.4.i = add i64 %arg.position, 5
  %8 = and i8 %.70.4.i, 127
  %9 = zext nneg i8 %8 to i64
  %.85.4.i = shl nuw nsw i64 %9, 28
  %.87.4.i = or disjoint i64 %.85.4.i, %.87.3.i
  %.94.4.i = icmp sgt i8 %.70.4.i, -1
  br i1 %.94.4.i, label %B202.i, label %B282.4.i

B282.4.i:                                         ; preds = %B86.4.i
  %exitcond.4.not.i = icmp eq i64 %.76.4.i, %arg.data.5.0
  br i1 %exitcond.4.not.i, label %common.ret, label %B86.5.i

B86.5.i:                                          ; preds = %B282.4.i
  %sunkaddr15.i = getelementptr i8, ptr %.69.i, i64 5
  %.70.5.i = load i8, ptr %sunkaddr15.i, align 1
  %.76.5.i = add i64 %arg.position, 6
  %10 = and i8 %.70.5.i, 127
  %11 = zext nneg i8 %10 to i64
  %.85.5.i = shl nuw nsw i64 %11, 35
  %.87.5.i = or disjoint i64 %.85.5.i, %.87.4.i
  %.94.5.i = icmp sgt i8 %.70.5.i, -1
  br i1 %.94.5.i, label %B202.i, label %B282.5.i

B282.5.i:                                         ; preds = %B86.5.i
  %exitcond.5.not.i = icmp eq i64 %.76.5.i, %arg.data.5.0
  br i1 %exitcond.5.not.i, label %common.ret, label %B86.6.i

B86.6.i:                                          ; preds = %B282.5.i
  %sunkaddr18.i = getelementptr i8, ptr %.69.i, i64 6
  %.70.6.i = load i8, ptr %sunkaddr18.i, align 1
  %.76.6.i = add i64 %arg.position, 7
  %12 = and i8 %.70.6.i, 127
  %13 = zext nneg i8 %12 to i64
  %.85.6.i = shl nuw nsw i64 %13, 42
  %.87.6.i = or i64 %.85.6.i, %.87.5.i
  %.94.6.i = icmp sgt i8 %.70.6.i, -1
  br i1 %.94.6.i, label %B202.i, label %B282.6.i

B282.6.i:                                         ; preds = %B86.6.i
  %exitcond.6.not.i = icmp eq i64 %.76.6.i, %arg.data.5.0
  br i1 %exitcond.6.not.i, label %common.ret, label %B86.7.i

B86.7.i:                                          ; preds = %B282.6.i
  %sunkaddr21.i = getelementptr i8, ptr %.69.i, i64 7
  %.70.7.i = load i8, ptr %sunkaddr21.i, align 1
  %.76.7.i = add i64 %arg.position, 8
  %14 = and i8 %.70.7.i, 127
  %15 = zext nneg i8 %14 to i64
  %.85.7.i = shl nuw nsw i64 %15, 49
  %.87.7.i = or i64 %.85.7.i, %.87.6.i
  %.94.7.i = icmp sgt i8 %.70.7.i, -1
  br i1 %.94.7.i, label %B202.i, label %B282.7.i

B282.7.i:                                         ; preds = %B86.7.i
  %exitcond.7.not.i = icmp eq i64 %.76.7.i, %arg.data.5.0
  br i1 %exitcond.7.not.i, label %common.ret, label %B86.8.i

B86.8.i:                                          ; preds = %B282.7.i
  %sunkaddr24.i = getelementptr i8, ptr %.69.i, i64 8
  %.70.8.i = load i8, ptr %sunkaddr24.i, align 1
  %.76.8.i = add i64 %arg.position, 9
  %16 = and i8 %.70.8.i, 127
  %17 = zext nneg i8 %16 to i64
  %.85.8.i = shl nuw nsw i64 %17, 56
  %.87.8.i = or i64 %.85.8.i, %.87.7.i
  %.94.8.i = icmp sgt i8 %.70.8.i, -1
  br i1 %.94.8.i, label %B202.i, label %B282.8.i

B282.8.i:                                         ; preds = %B86.8.i
  %exitcond.8.not.i = icmp eq i64 %.76.8.i, %arg.data.5.0
  br i1 %exitcond.8.not.i, label %common.ret, label %B86.9.i

B86.9.i:                                          ; preds = %B282.8.i
  %sunkaddr27.i = getelementptr i8, ptr %.69.i, i64 9
  %.70.9.i = load i8, ptr %sunkaddr27.i, align 1
  %.76.9.i = add i64 %arg.position, 10
  %.83.9.i = zext i8 %.70.9.i to i64
  %.85.9.i = shl i64 %.83.9.i, 63
  %.87.9.i = or i64 %.85.9.i, %.87.8.i
  %.94.9.i = icmp sgt i8 %.70.9.i, -1
  br i1 %.94.9.i, label %B202.i, label %common.ret

B148.endif:                                       ; preds = %B0
  %.41.i = getelementptr i8, ptr %arg.data.4, i64 %arg.position
  %.42.i = load i64, ptr %.41.i, align 1
  %.83 = and i64 %.42.i, -9187201950435737472
  %.89.not = icmp eq i64 %.83, -9187201950435737472
  br i1 %.89.not, label %B360, label %B206.endif

common.ret:                                       ; preds = %B86.9.i, %B282.8.i, %B282.7.i, %B282.6.i, %B282.5.i, %B282.4.i, %B282.3.i, %B282.2.i, %B282.1.i, %B282.i, %B202.i, %B360, %B206.endif
  %.sink132.i.sink = phi i64 [ %.17.i, %B206.endif ], [ %spec.select112.i, %B202.i ], [ 0, %B86.9.i ], [ 0, %B282.8.i ], [ 0, %B282.7.i ], [ 0, %B282.6.i ], [ 0, %B282.5.i ], [ 0, %B282.4.i ], [ 0, %B282.3.i ], [ 0, %B282.2.i ], [ 0, %B282.1.i ], [ 0, %B282.i ], [ 0, %B360 ]
  %.sink.i.sink = phi i64 [ %.140, %B206.endif ], [ %spec.select.i, %B202.i ], [ -1, %B86.9.i ], [ -1, %B282.8.i ], [ -1, %B282.7.i ], [ -1, %B282.6.i ], [ -1, %B282.5.i ], [ -1, %B282.4.i ], [ -1, %B282.3.i ], [ -1, %B282.2.i ], [ -1, %B282.1.i ], [ -1, %B282.i ], [ -1, %B360 ]
  store i64 %.sink132.i.sink, ptr %retptr, align 8
  %retptr.repack74 = getelementptr inbounds nuw i8, ptr %retptr, i64 8
  store i64 %.sink.i.sink, ptr %retptr.repack74, align 8
  ret void

B206.endif:                                       ; preds = %B148.endif
  %.84 = xor i64 %.83, -9187201950435737472
  %.97 = or i64 %.42.i, 9187201950435737471
  %.98 = add nuw i64 %.97, 1
  %.100 = and i64 %.84, %.98
  %.104 = add i64 %.100, -1
  %.106 = and i64 %.104, %.42.i
  %.6.i = lshr i64 %.106, 1
  %.7.i = and i64 %.6.i, 4575727041462157184
  %.8.i = and i64 %.106, 35747867511423103
  %.9.i = or disjoint i64 %.7.i, %.8.i
  %.10.i = lshr i64 %.9.i, 2
  %.11.i = and i64 %.10.i, 1152851136131088384
  %.12.i = and i64 %.9.i, 70364449226751
  %.13.i = or disjoint i64 %.11.i, %.12.i
  %.14.i = lshr i64 %.13.i, 4
  %.15.i = and i64 %.14.i, 72057593769492480
  %.16.i = and i64 %.13.i, 268435455
  %.17.i = or disjoint i64 %.15.i, %.16.i
  %.133 = lshr exact i64 %.100, 7
  %.134 = mul i64 %.133, 283686952306183
  %.135 = lshr i64 %.134, 56
  %.137 = add nuw i64 %arg.position, 1
  %.140 = add i64 %.137, %.135
  br label %common.ret
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #2

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define internal fastcc void @read_bytes(ptr noalias nonnull writeonly captures(none) %retptr, ptr readonly captures(none) %arg.data.4, i64 %arg.data.5.0, i64 %arg.position, i64 %arg.column, ptr writeonly captures(none) %arg.octets.4, ptr readonly captures(none) %arg.starts.4, ptr readonly captures(none) %arg.rooms.4, ptr captures(none) %arg.used.4, ptr writeonly captures(none) %arg.stack.4) unnamed_addr #0 {
B0:
  %.96.i = alloca [2 x i64], align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i)
  %.32.i = icmp ult i64 %arg.position, %arg.data.5.0
  br i1 %.32.i, label %B68.i, label %B156.i

B68.i:                                            ; preds = %B0
  %.60.i = getelementptr i8, ptr %arg.data.4, i64 %arg.position
  %.61.i = load i8, ptr %.60.i, align 1
  %.67.i = icmp sgt i8 %.61.i, -1
  br i1 %.67.i, label %B132.i, label %B156.i

B132.i:                                           ; preds = %B68.i
  %.62.i = zext nneg i8 %.61.i to i64
  %.75.i = add nuw i64 %arg.position, 1
  br label %read_number.exit.thread

B156.i:                                           ; preds = %B68.i, %B0
  call fastcc void @read_wide(ptr nonnull %.96.i, ptr readonly %arg.data.4, i64 %arg.data.5.0, i64 %arg.position)
  %.112.fca.0.load.i = load i64, ptr %.96.i, align 8
  %sunkaddr.i = getelementptr inbounds nuw i8, ptr %.96.i, i64 8
  %.112.fca.1.load.i = load i64, ptr %sunkaddr.i, align 8
  br label %read_number.exit.thread

read_number.exit.thread: ; preds = %B156.i, %B132.i
  %.94.sroa.0.0.ph = phi i64 [ %.112.fca.0.load.i, %B156.i ], [ %.62.i, %B132.i ]
  %.94.sroa.4.0.ph = phi i64 [ %.112.fca.1.load.i, %B156.i ], [ %.75.i, %B132.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i)
  %.137 = lshr i64 %.94.sroa.0.0.ph, 1
  %.142 = icmp eq i64 %.94.sroa.4.0.ph, -1
  %.145 = and i64 %.94.sroa.0.0.ph, 1
  %.148 = icmp ne i64 %.145, 0
  %.161 = sub i64 %arg.data.5.0, %.94.sroa.4.0.ph
  %.163 = icmp ugt i64 %.137, %.161
  %0 = or i1 %.148, %.163
  %or.cond321 = select i1 %.142, i1 true, i1 %0
  br i1 %or.cond321, label %common.ret, label %B188

common.ret:                                       ; preds = %read_number.exit.thread, %copy.exit, %B230
  %.508.sink = phi i64 [ %.508, %copy.exit ], [ -2, %B230 ], [ -1, %read_number.exit.thread ]
  store i64 %.508.sink, ptr %retptr, align 8
  ret void

B188:                                             ; preds = %read_number.exit.thread
  %.231 = getelementptr i64, ptr %arg.used.4, i64 %arg.column
  %.232 = load i64, ptr %.231, align 8
  %.234 = add i64 %.232, %.137
  %.261 = getelementptr i64, ptr %arg.rooms.4, i64 %arg.column
  %.262 = load i64, ptr %.261, align 8
  %.268 = icmp ugt i64 %.234, %.262
  br i1 %.268, label %B230, label %B264

B230:                                             ; preds = %B188
  store i64 %arg.column, ptr %arg.stack.4, align 8
  br label %common.ret

B264:                                             ; preds = %B188
  %.363 = getelementptr i64, ptr %arg.starts.4, i64 %arg.column
  %.364 = load i64, ptr %.363, align 8
  %sunkaddr = shl i64 %arg.column, 3
  %sunkaddr10 = getelementptr i8, ptr %arg.used.4, i64 %sunkaddr
  %.397 = load i64, ptr %sunkaddr10, align 8
  %.398 = add i64 %.397, %.364
  %.42.i = icmp ult i64 %.94.sroa.0.0.ph, 34
  %.56.i = icmp ugt i64 %.161, 15
  %or.cond.i = and i1 %.42.i, %.56.i
  br i1 %or.cond.i, label %B106.endif.endif.endif.endif.i, label %B274.i

B274.i:                                           ; preds = %B264
  %.200.not.i = icmp eq i64 %.137, 0
  br i1 %.200.not.i, label %copy.exit, label %iter.check.i

iter.check.i:                                     ; preds = %B274.i
  %1 = getelementptr i8, ptr %arg.data.4, i64 %.94.sroa.4.0.ph
  %2 = getelementptr i8, ptr %arg.octets.4, i64 %.398
  %min.iters.check.i = icmp ult i64 %.94.sroa.0.0.ph, 8
  br i1 %min.iters.check.i, label %B300.preheader.i, label %vector.memcheck.i

vector.memcheck.i:                                ; preds = %iter.check.i
  %3 = ptrtoint ptr %arg.octets.4 to i64
  %4 = ptrtoint ptr %arg.data.4 to i64
  %5 = add i64 %.94.sroa.4.0.ph, %4
  %.neg2.i = sub i64 %3, %5
  %6 = add i64 %.neg2.i, %.398
  %diff.check.i = icmp ult i64 %6, 32
  br i1 %diff.check.i, label %B300.preheader.i, label %vector.main.loop.iter.check.i

vector.main.loop.iter.check.i:                    ; preds = %vector.memcheck.i
  %min.iters.check6.i = icmp ult i64 %.94.sroa.0.0.ph, 64
  br i1 %min.iters.check6.i, label %vec.epilog.ph.i, label %vector.ph.i

vector.ph.i:                                      ; preds = %vector.main.loop.iter.check.i
  %n.vec.i = and i64 %.137, 9223372036854775776
  br label %vector.body.i

vector.body.i:                                    ; preds = %vector.body.i, %vector.ph.i
  %index.i = phi i64 [ 0, %vector.ph.i ], [ %index.next.i, %vector.body.i ]
  %sunkaddr.i1 = getelementptr i8, ptr %1, i64 %index.i
  %wide.load.i = load <16 x i8>, ptr %sunkaddr.i1, align 1
  %sunkaddr14.i = getelementptr i8, ptr %sunkaddr.i1, i64 16
  %wide.load7.i = load <16 x i8>, ptr %sunkaddr14.i, align 1
  %sunkaddr15.i = getelementptr i8, ptr %2, i64 %index.i
  store <16 x i8> %wide.load.i, ptr %sunkaddr15.i, align 1
  %sunkaddr17.i = getelementptr i8, ptr %sunkaddr15.i, i64 16
  store <16 x i8> %wide.load7.i, ptr %sunkaddr17.i, align 1
  %index.next.i = add nuw nsw i64 %index.i, 32
  %7 = icmp eq i64 %n.vec.i, %index.next.i
  br i1 %7, label %middle.block.i, label %vector.body.i

middle.block.i:                                   ; preds = %vector.body.i
  %cmp.n.i = icmp eq i64 %.137, %n.vec.i
  br i1 %cmp.n.i, label %copy.exit, label %vec.epilog.iter.check.i

vec.epilog.iter.check.i:                          ; preds = %middle.block.i
  %8 = and i64 %.94.sroa.0.0.ph, 56
  %min.epilog.iters.check.i = icmp eq i64 %8, 0
  br i1 %min.epilog.iters.check.i, label %B300.preheader.i, label %vec.epilog.ph.i

vec.epilog.ph.i:                                  ; preds = %vec.epilog.iter.check.i, %vector.main.loop.iter.check.i
  %vec.epilog.resume.val.i = phi i64 [ %n.vec.i, %vec.epilog.iter.check.i ], [ 0, %vector.main.loop.iter.check.i ]
  %n.vec9.i = and i64 %.137, 9223372036854775804
  br label %vec.epilog.vector.body.i

vec.epilog.vector.body.i:                         ; preds = %vec.epilog.vector.body.i, %vec.epilog.ph.i
  %index10.i = phi i64 [ %vec.epilog.resume.val.i, %vec.epilog.ph.i ], [ %index.next12.i, %vec.epilog.vector.body.i ]
  %9 = getelementptr i8, ptr %1, i64 %index10.i
  %wide.load11.i = load <4 x i8>, ptr %9, align 1
  %10 = getelementptr i8, ptr %2, i64 %index10.i
  store <4 x i8> %wide.load11.i, ptr %10, align 1
  %index.next12.i = add nuw i64 %index10.i, 4
  %11 = icmp eq i64 %n.vec9.i, %index.next12.i
  br i1 %11, label %vec.epilog.middle.block.i, label %vec.epilog.vector.body.i

vec.epilog.middle.block.i:                        ; preds = %vec.epilog.vector.body.i
  %cmp.n13.i = icmp eq i64 %.137, %n.vec9.i
  br i1 %cmp.n13.i, label %copy.exit, label %B300.preheader.i

B300.preheader.i:                                 ; preds = %vec.epilog.middle.block.i, %vec.epilog.iter.check.i, %vector.memcheck.i, %iter.check.i
  %done.2.0.ph.i = phi i64 [ 0, %iter.check.i ], [ 0, %vector.memcheck.i ], [ %n.vec.i, %vec.epilog.iter.check.i ], [ %n.vec9.i, %vec.epilog.middle.block.i ]
  %xtraiter.i = and i64 %.137, 3
  %lcmp.mod.not.i = icmp eq i64 %xtraiter.i, 0
  br i1 %lcmp.mod.not.i, label %B300.prol.loopexit.i, label %B300.prol.i

B300.prol.i:                                      ; preds = %B300.preheader.i, %B300.prol.i
  %lsr.iv.i = phi i64 [ %lsr.iv.next.i, %B300.prol.i ], [ %xtraiter.i, %B300.preheader.i ]
  %done.2.0.prol.i = phi i64 [ %.263.prol.i, %B300.prol.i ], [ %done.2.0.ph.i, %B300.preheader.i ]
  %.230.prol.i = getelementptr i8, ptr %1, i64 %done.2.0.prol.i
  %.231.prol.i = load i8, ptr %.230.prol.i, align 1
  %.260.prol.i = getelementptr i8, ptr %2, i64 %done.2.0.prol.i
  store i8 %.231.prol.i, ptr %.260.prol.i, align 1
  %.263.prol.i = add nuw nsw i64 %done.2.0.prol.i, 1
  %lsr.iv.next.i = add nsw i64 %lsr.iv.i, -1
  %prol.iter.cmp.not.i = icmp eq i64 %lsr.iv.next.i, 0
  br i1 %prol.iter.cmp.not.i, label %B300.prol.loopexit.i, label %B300.prol.i

B300.prol.loopexit.i:                             ; preds = %B300.prol.i, %B300.preheader.i
  %done.2.0.unr.i = phi i64 [ %done.2.0.ph.i, %B300.preheader.i ], [ %.263.prol.i, %B300.prol.i ]
  %12 = sub nsw i64 %done.2.0.ph.i, %.137
  %13 = icmp ugt i64 %12, -4
  br i1 %13, label %copy.exit, label %B300.preheader14.i

B300.preheader14.i:                               ; preds = %B300.prol.loopexit.i
  %scevgep.i = getelementptr i8, ptr %2, i64 3
  %scevgep22.i = getelementptr i8, ptr %1, i64 3
  br label %B300.i

B300.i:                                           ; preds = %B300.i, %B300.preheader14.i
  %done.2.0.i = phi i64 [ %.263.3.i, %B300.i ], [ %done.2.0.unr.i, %B300.preheader14.i ]
  %scevgep26.i = getelementptr i8, ptr %scevgep22.i, i64 %done.2.0.i
  %scevgep27.i = getelementptr i8, ptr %scevgep26.i, i64 -3
  %.231.i = load i8, ptr %scevgep27.i, align 1
  %scevgep18.i = getelementptr i8, ptr %scevgep.i, i64 %done.2.0.i
  %scevgep19.i = getelementptr i8, ptr %scevgep18.i, i64 -3
  store i8 %.231.i, ptr %scevgep19.i, align 1
  %scevgep12.i = getelementptr i8, ptr %scevgep26.i, i64 -2
  %.231.1.i = load i8, ptr %scevgep12.i, align 1
  %scevgep21.i = getelementptr i8, ptr %scevgep18.i, i64 -2
  store i8 %.231.1.i, ptr %scevgep21.i, align 1
  %scevgep9.i = getelementptr i8, ptr %scevgep26.i, i64 -1
  %.231.2.i = load i8, ptr %scevgep9.i, align 1
  %scevgep7.i = getelementptr i8, ptr %scevgep18.i, i64 -1
  store i8 %.231.2.i, ptr %scevgep7.i, align 1
  %.231.3.i = load i8, ptr %scevgep26.i, align 1
  store i8 %.231.3.i, ptr %scevgep18.i, align 1
  %.263.3.i = add nuw i64 %done.2.0.i, 4
  %exitcond.not.3.i = icmp eq i64 %.137, %.263.3.i
  br i1 %exitcond.not.3.i, label %copy.exit, label %B300.i

B106.endif.endif.endif.endif.i:                   ; preds = %B264
  %.41.i.i = getelementptr i8, ptr %arg.data.4, i64 %.94.sroa.4.0.ph
  %.42.i.i = load i64, ptr %.41.i.i, align 1
  %.41.i1.i = getelementptr i8, ptr %.41.i.i, i64 8
  %.42.i2.i = load i64, ptr %.41.i1.i, align 1
  %.43.i.i = getelementptr i8, ptr %arg.octets.4, i64 %.398
  store i64 %.42.i.i, ptr %.43.i.i, align 1
  %.43.i3.i = getelementptr i8, ptr %.43.i.i, i64 8
  store i64 %.42.i2.i, ptr %.43.i3.i, align 1
  br label %copy.exit

copy.exit: ; preds = %B300.i, %B274.i, %middle.block.i, %vec.epilog.middle.block.i, %B300.prol.loopexit.i, %B106.endif.endif.endif.endif.i
  %.468 = load i64, ptr %sunkaddr10, align 8
  %.470 = add i64 %.468, %.137
  store i64 %.470, ptr %sunkaddr10, align 8
  %.508 = add i64 %.137, %.94.sroa.4.0.ph
  br label %common.ret
}

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #1 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) }

