; Made by formats/native/build.py with numba 0.68.1; not to be edited.
; kernel.py: ff1a8b069236045eb6d0b56efce7047bb0f9fec110a3ee677662b2d11f9dcf60

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local noundef range(i32 -1, -2) i32 @lakemuster_avro_run(ptr noalias writeonly captures(none) %retptr, ptr noalias readnone captures(none) %excinfo, ptr readonly captures(none) %arg.data, i64 %arg.size, i64 %arg.records, ptr readonly captures(none) %arg.program, i64 %arg.operations, ptr writeonly captures(none) %arg.octets, ptr writeonly captures(none) %arg.ints, ptr writeonly captures(none) %arg.longs, i64 %arg.room, ptr readonly captures(none) %arg.starts, ptr readonly captures(none) %arg.rooms, ptr captures(none) %arg.used, i64 %arg.columns, ptr captures(none) %arg.stack, i64 %arg.depth) local_unnamed_addr #0 {
B0.endif.endif.endif.endif.endif.endif.endif.endif.endif:
  %.96.i.i156.i = alloca [2 x i64], align 8
  %.96.i1.i.i46.i = alloca [2 x i64], align 8
  %.96.i.i47.i = alloca [2 x i64], align 8
  %.913.i.i = alloca i64, align 8
  %.96.i1.i.i1.i = alloca [2 x i64], align 8
  %.96.i.i.i = alloca [2 x i64], align 8
  %.906.i.i = alloca [2 x i64], align 8
  %.96.i1.i.i.i = alloca [2 x i64], align 8
  %.96.i.i = alloca [2 x i64], align 8
  %.1439.i = alloca i64, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %.1439.i)
  %.178.not.i = icmp eq i64 %arg.records, 0
  br i1 %.178.not.i, label %B1450.i, label %B148.preheader.i

B148.preheader.i:                                 ; preds = %B0.endif.endif.endif.endif.endif.endif.endif.endif.endif
  %scevgep.i = getelementptr i8, ptr %arg.program, i64 24
  %sunkaddr.i.i.i48.i = getelementptr inbounds nuw i8, ptr %.96.i1.i.i46.i, i64 8
  %sunkaddr187.i58.i = getelementptr inbounds nuw i8, ptr %.96.i.i47.i, i64 8
  %sunkaddr.i.i.i2.i = getelementptr inbounds nuw i8, ptr %.96.i1.i.i1.i, i64 8
  %sunkaddr187.i.i = getelementptr inbounds nuw i8, ptr %.96.i.i.i, i64 8
  %sunkaddr188.i.i = getelementptr inbounds nuw i8, ptr %.906.i.i, i64 8
  %sunkaddr526.i = getelementptr inbounds nuw i8, ptr %.96.i.i, i64 8
  %sunkaddr.i.i.i = getelementptr inbounds nuw i8, ptr %.96.i.i156.i, i64 8
  %0 = ptrtoint ptr %arg.octets to i64
  %1 = ptrtoint ptr %arg.data to i64
  %sunkaddr.i.i.i.i = getelementptr inbounds nuw i8, ptr %.96.i1.i.i.i, i64 8
  br label %B148.i

B148.i:                                           ; preds = %B1436.i, %B148.preheader.i
  %position.10.0.i = phi i64 [ %position.11.3.i, %B1436.i ], [ 0, %B148.preheader.i ]
  %record.2.0.i = phi i64 [ %.192.i, %B1436.i ], [ 0, %B148.preheader.i ]
  %.192.i = add nuw i64 %record.2.0.i, 1
  br label %B190.i

B190.i:                                           ; preds = %go_through.exit.i, %B148.i
  %position.9.1.i = phi i64 [ %position.10.0.i, %B148.i ], [ %position.2.04.sink.i.i, %go_through.exit.i ]
  %at.3.1.i = phi i64 [ 0, %B148.i ], [ %spec.select469.sink.i.i, %go_through.exit.i ]
  %depth.2.1.i = phi i64 [ 0, %B148.i ], [ %depth.3.0.sink.i.i, %go_through.exit.i ]
  %null_until.5.1.i = phi i64 [ 0, %B148.i ], [ %spec.select1214.i, %go_through.exit.i ]
  %.230.i = icmp ult i64 %at.3.1.i, %arg.operations
  br i1 %.230.i, label %B204.preheader.i, label %B1436.i

B204.preheader.i:                                 ; preds = %B190.i
  %2 = shl i64 %at.3.1.i, 5
  %scevgep543.i = getelementptr i8, ptr %scevgep.i, i64 %2
  br label %B204.i

B204.i:                                           ; preds = %B1370.i, %B204.preheader.i
  %lsr.iv.i = phi ptr [ %scevgep543.i, %B204.preheader.i ], [ %scevgep544.i, %B1370.i ]
  %position.7.2.i = phi i64 [ %position.9.1.i, %B204.preheader.i ], [ %position.8.4.fr.i, %B1370.i ]
  %at.4.2.i = phi i64 [ %at.3.1.i, %B204.preheader.i ], [ %.1756.i, %B1370.i ]
  %null_until.3.2.i = phi i64 [ %null_until.5.1.i, %B204.preheader.i ], [ %null_until.4.4.i, %B1370.i ]
  %scevgep547.i = getelementptr i8, ptr %lsr.iv.i, i64 -24
  %.285.i = load i64, ptr %scevgep547.i, align 8
  %scevgep546.i = getelementptr i8, ptr %lsr.iv.i, i64 -16
  %.334.i = load i64, ptr %scevgep546.i, align 8
  %scevgep545.i = getelementptr i8, ptr %lsr.iv.i, i64 -8
  %.383.i = load i64, ptr %scevgep545.i, align 8
  %.421.i = getelementptr i64, ptr %arg.starts, i64 %.334.i
  %.422.i = load i64, ptr %.421.i, align 8
  %.449.i = getelementptr i64, ptr %arg.used, i64 %.334.i
  %.450.i = load i64, ptr %.449.i, align 8
  %.451.i = add i64 %.450.i, %.422.i
  %.453.i = icmp eq i64 %.285.i, 2
  %spec.select.i = select i1 %.453.i, i64 %.383.i, i64 1
  %.507.i = add i64 %.450.i, %spec.select.i
  %.534.i = getelementptr i64, ptr %arg.rooms, i64 %.334.i
  %.535.i = load i64, ptr %.534.i, align 8
  %.536.i = icmp ugt i64 %.507.i, %.535.i
  br i1 %.536.i, label %B410.i, label %B444.i

B410.i:                                           ; preds = %B204.i
  store i64 %.334.i, ptr %arg.stack, align 8
  br label %run.exit

B444.i:                                           ; preds = %B204.i
  %.642.i = icmp ugt i64 %.285.i, 6
  br i1 %.642.i, label %B466.i, label %B634.i

B466.i:                                           ; preds = %B444.i
  %.651.i = icmp eq i64 %.285.i, 8
  %spec.select1214.i = select i1 %.651.i, i64 0, i64 %null_until.3.2.i
  %.676.not.i = icmp ult i64 %at.4.2.i, %spec.select1214.i
  %.153.idx.i.i = shl i64 %at.4.2.i, 5
  %.153.i.i = getelementptr i8, ptr %arg.program, i64 %.153.idx.i.i
  %.154.i.i = load i64, ptr %.153.i.i, align 8
  %.202.i.i = getelementptr i8, ptr %.153.i.i, i64 8
  %.203.i.i = load i64, ptr %.202.i.i, align 8
  %.251.i.i = getelementptr i8, ptr %.153.i.i, i64 16
  %.252.i.i = load i64, ptr %.251.i.i, align 8
  %.265.i.i = icmp eq i64 %.154.i.i, 8
  br i1 %.265.i.i, label %B116.i.i, label %B280.i.i

B116.i.i:                                         ; preds = %B466.i
  %3 = getelementptr i64, ptr %arg.used, i64 %.203.i.i
  %.296.i.i = getelementptr i8, ptr %3, i64 8
  %.297.i.i = load i64, ptr %.296.i.i, align 8
  %.298.i.i = add i64 %.297.i.i, 1
  store i64 %.298.i.i, ptr %.296.i.i, align 8
  %.352.i.i = getelementptr i64, ptr %arg.stack, i64 %depth.2.1.i
  %.353.i.i = load i64, ptr %.352.i.i, align 8
  %.354.i.i = add i64 %.353.i.i, -1
  store i64 %.354.i.i, ptr %.352.i.i, align 8
  %.411.not.i.i = icmp eq i64 %.354.i.i, 0
  br i1 %.411.not.i.i, label %B260.i.i, label %go_through.exit.i

B260.i.i:                                         ; preds = %B116.i.i
  %.474.i.i = add i64 %depth.2.1.i, -1
  br label %B280.i.i

B280.i.i:                                         ; preds = %B260.i.i, %B466.i
  %depth.3.0.i.i = phi i64 [ %.474.i.i, %B260.i.i ], [ %depth.2.1.i, %B466.i ]
  br i1 %.676.not.i, label %B468.i.i, label %B298.i.i

B298.i.i:                                         ; preds = %B280.i.i
  %sunkaddr2.i.i = getelementptr i8, ptr %.153.i.i, i64 24
  %.540.i.i = load i64, ptr %sunkaddr2.i.i, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i.i)
  %.32.i.i.i.i = icmp ult i64 %position.7.2.i, %arg.size
  br i1 %.32.i.i.i.i, label %B68.i.i.i.i, label %B156.i.i.i.i

B68.i.i.i.i:                                      ; preds = %B298.i.i
  %.60.i.i.i.i = getelementptr i8, ptr %arg.data, i64 %position.7.2.i
  %.61.i.i.i.i = load i8, ptr %.60.i.i.i.i, align 1
  %.67.i.i.i.i = icmp sgt i8 %.61.i.i.i.i, -1
  br i1 %.67.i.i.i.i, label %B132.i.i.i.i, label %B156.i.i.i.i

B132.i.i.i.i:                                     ; preds = %B68.i.i.i.i
  %.62.i.i.i.i = zext nneg i8 %.61.i.i.i.i to i64
  %.75.i.i.i.i = add nuw i64 %position.7.2.i, 1
  br label %B0.endif.i.i.i

B156.i.i.i.i:                                     ; preds = %B68.i.i.i.i, %B298.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i.i, ptr readonly %arg.data, i64 %arg.size, i64 range(i64 0, -1) %position.7.2.i)
  %.112.fca.0.load.i.i.i.i = load i64, ptr %.96.i1.i.i.i, align 8
  %.112.fca.1.load.i.i.i.i = load i64, ptr %sunkaddr.i.i.i.i, align 8
  br label %B0.endif.i.i.i

B84.i.i.i:                                        ; preds = %B0.endif.i.i.i
  %.89.i.i.i = and i64 %.24.sroa.0.0.ph.i.i.i, 1
  %.92.not.i.i.i = icmp eq i64 %.89.i.i.i, 0
  br i1 %.92.not.i.i.i, label %read_count.exit.i.i, label %B104.i.i.i

B104.i.i.i:                                       ; preds = %B84.i.i.i
  %.95.i.i.i = add nuw i64 %.71.i.i.i, 1
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i.i)
  %.32.i3.i.i.i = icmp ult i64 %.24.sroa.4.0.ph.i.i.i, %arg.size
  br i1 %.32.i3.i.i.i, label %B68.i17.i.i.i, label %B156.i4.i.i.i

B68.i17.i.i.i:                                    ; preds = %B104.i.i.i
  %.60.i18.i.i.i = getelementptr i8, ptr %arg.data, i64 %.24.sroa.4.0.ph.i.i.i
  %.61.i19.i.i.i = load i8, ptr %.60.i18.i.i.i, align 1
  %.67.i20.i.i.i = icmp sgt i8 %.61.i19.i.i.i, -1
  br i1 %.67.i20.i.i.i, label %B132.i21.i.i.i, label %B156.i4.i.i.i

B132.i21.i.i.i:                                   ; preds = %B68.i17.i.i.i
  %.75.i23.i.i.i = add nuw i64 %.24.sroa.4.0.ph.i.i.i, 1
  br label %read_number.exit25.thread.i.i.i

B156.i4.i.i.i:                                    ; preds = %B68.i17.i.i.i, %B104.i.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i.i, ptr readonly %arg.data, i64 %arg.size, i64 %.24.sroa.4.0.ph.i.i.i)
  %.112.fca.1.load.i15.i.i.i = load i64, ptr %sunkaddr.i.i.i.i, align 8
  br label %read_number.exit25.thread.i.i.i

read_number.exit25.thread.i.i.i: ; preds = %B156.i4.i.i.i, %B132.i21.i.i.i
  %.103.sroa.3.0.ph.i.i.i = phi i64 [ %.112.fca.1.load.i15.i.i.i, %B156.i4.i.i.i ], [ %.75.i23.i.i.i, %B132.i21.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i.i)
  br label %read_count.exit.i.i

B0.endif.i.i.i:                                   ; preds = %B156.i.i.i.i, %B132.i.i.i.i
  %.24.sroa.0.0.ph.i.i.i = phi i64 [ %.112.fca.0.load.i.i.i.i, %B156.i.i.i.i ], [ %.62.i.i.i.i, %B132.i.i.i.i ]
  %.24.sroa.4.0.ph.i.i.i = phi i64 [ %.112.fca.1.load.i.i.i.i, %B156.i.i.i.i ], [ %.75.i.i.i.i, %B132.i.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i.i)
  %.71.i.i.i = lshr i64 %.24.sroa.0.0.ph.i.i.i, 1
  %.80.not.i.i.i = icmp eq i64 %.24.sroa.4.0.ph.i.i.i, -1
  br i1 %.80.not.i.i.i, label %read_count.exit.i.i, label %B84.i.i.i

read_count.exit.i.i: ; preds = %B0.endif.i.i.i, %read_number.exit25.thread.i.i.i, %B84.i.i.i
  %position.1.2.0.i.i.i = phi i64 [ -1, %B0.endif.i.i.i ], [ %.24.sroa.4.0.ph.i.i.i, %B84.i.i.i ], [ %.103.sroa.3.0.ph.i.i.i, %read_number.exit25.thread.i.i.i ]
  %count.2.0.i.i.i = phi i64 [ %.71.i.i.i, %B0.endif.i.i.i ], [ %.71.i.i.i, %B84.i.i.i ], [ %.95.i.i.i, %read_number.exit25.thread.i.i.i ]
  %.164.i.i.i = sub i64 %arg.size, %position.1.2.0.i.i.i
  %.169.i.i.i = icmp eq i64 %position.1.2.0.i.i.i, -1
  %.173.i.i.i = icmp ugt i64 %count.2.0.i.i.i, %.164.i.i.i
  %or.cond.i.i.i = select i1 %.169.i.i.i, i1 true, i1 %.173.i.i.i
  %.177.i.i.i = mul i64 %count.2.0.i.i.i, %.540.i.i
  %.181.i.i.i = icmp ugt i64 %.177.i.i.i, %.164.i.i.i
  %or.cond71.i.i.i = select i1 %or.cond.i.i.i, i1 true, i1 %.181.i.i.i
  br i1 %or.cond71.i.i.i, label %B468.i.i, label %B364.i.i

B364.i.i:                                         ; preds = %read_count.exit.i.i
  %.615.not.i.i = icmp eq i64 %count.2.0.i.i.i, 0
  br i1 %.615.not.i.i, label %B468.i.i, label %B386.i.i

B386.i.i:                                         ; preds = %B364.i.i
  %.632.i.i = add i64 %depth.3.0.i.i, 1
  %.665.i.i = getelementptr i64, ptr %arg.stack, i64 %.632.i.i
  store i64 %count.2.0.i.i.i, ptr %.665.i.i, align 8
  %.691.i.i = add i64 %at.4.2.i, 1
  %spec.select468.i.i = select i1 %.265.i.i, i64 %.252.i.i, i64 %.691.i.i
  br label %go_through.exit.i

B468.i.i:                                         ; preds = %B364.i.i, %read_count.exit.i.i, %B280.i.i
  %position.2.04.i.i = phi i64 [ %position.1.2.0.i.i.i, %B364.i.i ], [ %position.7.2.i, %B280.i.i ], [ -1, %read_count.exit.i.i ]
  %4 = getelementptr i64, ptr %arg.used, i64 %.203.i.i
  %.754.i.i = getelementptr i8, ptr %4, i64 8
  %.755.i.i = load i64, ptr %.754.i.i, align 8
  %.782.i.i = getelementptr i32, ptr %arg.ints, i64 %.451.i
  %.783.i.i = trunc i64 %.755.i.i to i32
  store i32 %.783.i.i, ptr %.782.i.i, align 4
  %.819.i.i = load i64, ptr %4, align 8
  %.820.i.i = add i64 %.819.i.i, 1
  store i64 %.820.i.i, ptr %4, align 8
  %.864.i.i = add i64 %at.4.2.i, 1
  %spec.select469.i.i = select i1 %.265.i.i, i64 %.864.i.i, i64 %.252.i.i
  br label %go_through.exit.i

go_through.exit.i: ; preds = %B468.i.i, %B386.i.i, %B116.i.i
  %spec.select469.sink.i.i = phi i64 [ %spec.select469.i.i, %B468.i.i ], [ %spec.select468.i.i, %B386.i.i ], [ %.252.i.i, %B116.i.i ]
  %depth.3.0.sink.i.i = phi i64 [ %depth.3.0.i.i, %B468.i.i ], [ %.632.i.i, %B386.i.i ], [ %depth.2.1.i, %B116.i.i ]
  %position.2.04.sink.i.i = phi i64 [ %position.2.04.i.i, %B468.i.i ], [ %position.1.2.0.i.i.i, %B386.i.i ], [ %position.7.2.i, %B116.i.i ]
  %.755.i = icmp eq i64 %position.2.04.sink.i.i, -1
  br i1 %.755.i, label %run.exit, label %B190.i

B634.i:                                           ; preds = %B444.i
  %.845.i = icmp ult i64 %at.4.2.i, %null_until.3.2.i
  br i1 %.845.i, label %B646.i, label %B694.i

B646.i:                                           ; preds = %B634.i
  switch i64 %.285.i, label %B222.i.i [
    i64 0, label %B26.i.i
    i64 1, label %B62.i.i
    i64 6, label %B98.i.i
    i64 2, label %B134.i.i
  ]

B26.i.i:                                          ; preds = %B646.i
  %.122.i.i = getelementptr i64, ptr %arg.longs, i64 %.451.i
  store i64 0, ptr %.122.i.i, align 8
  br label %B1298.i

B62.i.i:                                          ; preds = %B646.i
  %.183.i.i = getelementptr i32, ptr %arg.ints, i64 %.451.i
  store i32 0, ptr %.183.i.i, align 4
  br label %B1298.i

B98.i.i:                                          ; preds = %B646.i
  %.240.i.i = getelementptr i8, ptr %arg.octets, i64 %.451.i
  store i8 0, ptr %.240.i.i, align 1
  br label %B1298.i

B134.i.i:                                         ; preds = %B646.i
  %.274.not.i.i = icmp eq i64 %.383.i, 0
  br i1 %.274.not.i.i, label %B1298.i, label %B156.preheader.i.i

B156.preheader.i.i:                               ; preds = %B134.i.i
  %5 = getelementptr i8, ptr %arg.octets, i64 %.451.i
  tail call void @llvm.memset.p0.i64(ptr align 1 %5, i8 0, i64 %.383.i, i1 false)
  br label %B1298.i

B222.i.i:                                         ; preds = %B646.i
  %.372.i.i = getelementptr i8, ptr %.449.i, i64 8
  %.373.i.i = load i64, ptr %.372.i.i, align 8
  %.405.i.i = getelementptr i32, ptr %arg.ints, i64 %.451.i
  %.406.i.i = trunc i64 %.373.i.i to i32
  store i32 %.406.i.i, ptr %.405.i.i, align 4
  br label %B1298.i

B694.i:                                           ; preds = %B634.i
  switch i64 %.285.i, label %B1254.i [
    i64 6, label %B716.i
    i64 4, label %B938.i
    i64 5, label %B1046.i
    i64 3, label %B1154.i
  ]

B716.i:                                           ; preds = %B694.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i.i)
  %.32.i.i = icmp ult i64 %position.7.2.i, %arg.size
  br i1 %.32.i.i, label %B68.i.i, label %B156.i.i

B68.i.i:                                          ; preds = %B716.i
  %.60.i.i = getelementptr i8, ptr %arg.data, i64 %position.7.2.i
  %.61.i.i = load i8, ptr %.60.i.i, align 1
  %.67.i.i = icmp sgt i8 %.61.i.i, -1
  br i1 %.67.i.i, label %B132.i.i, label %B156.i.i

B132.i.i:                                         ; preds = %B68.i.i
  %.62.i.i = zext nneg i8 %.61.i.i to i64
  %.75.i.i = add nuw i64 %position.7.2.i, 1
  br label %read_number.exit.thread.i

B156.i.i:                                         ; preds = %B68.i.i, %B716.i
  call fastcc void @read_wide(ptr nonnull %.96.i.i, ptr readonly %arg.data, i64 %arg.size, i64 %position.7.2.i)
  %.112.fca.0.load.i.i = load i64, ptr %.96.i.i, align 8
  %.112.fca.1.load.i.i = load i64, ptr %sunkaddr526.i, align 8
  br label %read_number.exit.thread.i

read_number.exit.thread.i: ; preds = %B156.i.i, %B132.i.i
  %.915.sroa.0.5.ph.i = phi i64 [ %.112.fca.0.load.i.i, %B156.i.i ], [ %.62.i.i, %B132.i.i ]
  %.915.sroa.5.5.ph.i = phi i64 [ %.112.fca.1.load.i.i, %B156.i.i ], [ %.75.i.i, %B132.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i.i)
  %.958.i = icmp ugt i64 %.915.sroa.0.5.ph.i, 2
  %.961.i = and i64 %.915.sroa.0.5.ph.i, 1
  %.962.i = icmp ne i64 %.961.i, 0
  %or.cond.i = or i1 %.958.i, %.962.i
  br i1 %or.cond.i, label %run.exit, label %B810.i

B810.i:                                           ; preds = %read_number.exit.thread.i
  %.1040.i = lshr exact i64 %.915.sroa.0.5.ph.i, 1
  %.1089.i = load i64, ptr %lsr.iv.i, align 8
  %.1092.i = icmp ne i64 %.1040.i, %.1089.i
  %.1132.i = getelementptr i8, ptr %arg.octets, i64 %.451.i
  %.1133.i = zext i1 %.1092.i to i8
  store i8 %.1133.i, ptr %.1132.i, align 1
  %spec.select1218.i = select i1 %.1092.i, i64 %null_until.3.2.i, i64 %.383.i
  br label %B1298.i

B938.i:                                           ; preds = %B694.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.906.i.i)
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %.906.i.i, i8 0, i64 16, i1 false)
  %sunkaddr161.i.i = shl i64 %.334.i, 3
  %sunkaddr164.i.i = getelementptr i8, ptr %arg.used, i64 %sunkaddr161.i.i
  %sunkaddr167.i.i = getelementptr i8, ptr %sunkaddr164.i.i, i64 24
  %sunkaddr170.i.i = getelementptr i8, ptr %arg.rooms, i64 %sunkaddr161.i.i
  %sunkaddr171.i.i = getelementptr i8, ptr %sunkaddr170.i.i, i64 24
  %sunkaddr174.i.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr161.i.i
  %sunkaddr175.i.i = getelementptr i8, ptr %sunkaddr174.i.i, i64 16
  %sunkaddr180.i.i = getelementptr i8, ptr %sunkaddr164.i.i, i64 16
  %sunkaddr183.i.i = getelementptr i8, ptr %sunkaddr174.i.i, i64 24
  br label %B46.i.i

B46.i.i:                                          ; preds = %B646.endif.endif.i.i, %B938.i
  %position.4.0.i.i = phi i64 [ %position.7.2.i, %B938.i ], [ %.922.fca.1.load.i.i, %B646.endif.endif.i.i ]
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i1.i)
  %.32.i.i.i3.i = icmp ult i64 %position.4.0.i.i, %arg.size
  br i1 %.32.i.i.i3.i, label %B68.i.i.i39.i, label %B156.i.i.i4.i

B68.i.i.i39.i:                                    ; preds = %B46.i.i
  %.60.i.i.i40.i = getelementptr i8, ptr %arg.data, i64 %position.4.0.i.i
  %.61.i.i.i41.i = load i8, ptr %.60.i.i.i40.i, align 1
  %.67.i.i.i42.i = icmp sgt i8 %.61.i.i.i41.i, -1
  br i1 %.67.i.i.i42.i, label %B132.i.i.i43.i, label %B156.i.i.i4.i

B132.i.i.i43.i:                                   ; preds = %B68.i.i.i39.i
  %.62.i.i.i44.i = zext nneg i8 %.61.i.i.i41.i to i64
  %.75.i.i.i45.i = add nuw i64 %position.4.0.i.i, 1
  br label %B0.endif.i.i7.i

B156.i.i.i4.i:                                    ; preds = %B68.i.i.i39.i, %B46.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i1.i, ptr readonly %arg.data, i64 %arg.size, i64 range(i64 0, -1) %position.4.0.i.i)
  %.112.fca.0.load.i.i.i5.i = load i64, ptr %.96.i1.i.i1.i, align 8
  %.112.fca.1.load.i.i.i6.i = load i64, ptr %sunkaddr.i.i.i2.i, align 8
  br label %B0.endif.i.i7.i

B84.i.i12.i:                                      ; preds = %B0.endif.i.i7.i
  %.89.i.i13.i = and i64 %.24.sroa.0.0.ph.i.i8.i, 1
  %.92.not.i.i14.i = icmp eq i64 %.89.i.i13.i, 0
  br i1 %.92.not.i.i14.i, label %read_count.exit.i22.i, label %B104.i.i15.i

B104.i.i15.i:                                     ; preds = %B84.i.i12.i
  %.95.i.i16.i = add nuw i64 %.71.i.i10.i, 1
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i1.i)
  %.32.i3.i.i17.i = icmp ult i64 %.24.sroa.4.0.ph.i.i9.i, %arg.size
  br i1 %.32.i3.i.i17.i, label %B68.i17.i.i33.i, label %B156.i4.i.i18.i

B68.i17.i.i33.i:                                  ; preds = %B104.i.i15.i
  %.60.i18.i.i34.i = getelementptr i8, ptr %arg.data, i64 %.24.sroa.4.0.ph.i.i9.i
  %.61.i19.i.i35.i = load i8, ptr %.60.i18.i.i34.i, align 1
  %.67.i20.i.i36.i = icmp sgt i8 %.61.i19.i.i35.i, -1
  br i1 %.67.i20.i.i36.i, label %B132.i21.i.i37.i, label %B156.i4.i.i18.i

B132.i21.i.i37.i:                                 ; preds = %B68.i17.i.i33.i
  %.75.i23.i.i38.i = add nuw i64 %.24.sroa.4.0.ph.i.i9.i, 1
  br label %read_number.exit25.thread.i.i20.i

B156.i4.i.i18.i:                                  ; preds = %B68.i17.i.i33.i, %B104.i.i15.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i1.i, ptr readonly %arg.data, i64 %arg.size, i64 %.24.sroa.4.0.ph.i.i9.i)
  %.112.fca.1.load.i15.i.i19.i = load i64, ptr %sunkaddr.i.i.i2.i, align 8
  br label %read_number.exit25.thread.i.i20.i

read_number.exit25.thread.i.i20.i: ; preds = %B156.i4.i.i18.i, %B132.i21.i.i37.i
  %.103.sroa.3.0.ph.i.i21.i = phi i64 [ %.112.fca.1.load.i15.i.i19.i, %B156.i4.i.i18.i ], [ %.75.i23.i.i38.i, %B132.i21.i.i37.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i1.i)
  br label %read_count.exit.i22.i

B0.endif.i.i7.i:                                  ; preds = %B156.i.i.i4.i, %B132.i.i.i43.i
  %.24.sroa.0.0.ph.i.i8.i = phi i64 [ %.112.fca.0.load.i.i.i5.i, %B156.i.i.i4.i ], [ %.62.i.i.i44.i, %B132.i.i.i43.i ]
  %.24.sroa.4.0.ph.i.i9.i = phi i64 [ %.112.fca.1.load.i.i.i6.i, %B156.i.i.i4.i ], [ %.75.i.i.i45.i, %B132.i.i.i43.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i1.i)
  %.71.i.i10.i = lshr i64 %.24.sroa.0.0.ph.i.i8.i, 1
  %.80.not.i.i11.i = icmp eq i64 %.24.sroa.4.0.ph.i.i9.i, -1
  br i1 %.80.not.i.i11.i, label %read_count.exit.i22.i, label %B84.i.i12.i

read_count.exit.i22.i: ; preds = %B0.endif.i.i7.i, %read_number.exit25.thread.i.i20.i, %B84.i.i12.i
  %position.1.2.0.i.i23.i = phi i64 [ -1, %B0.endif.i.i7.i ], [ %.24.sroa.4.0.ph.i.i9.i, %B84.i.i12.i ], [ %.103.sroa.3.0.ph.i.i21.i, %read_number.exit25.thread.i.i20.i ]
  %count.2.0.i.i24.i = phi i64 [ %.71.i.i10.i, %B0.endif.i.i7.i ], [ %.71.i.i10.i, %B84.i.i12.i ], [ %.95.i.i16.i, %read_number.exit25.thread.i.i20.i ]
  %.164.i.i25.i = sub i64 %arg.size, %position.1.2.0.i.i23.i
  %.169.i.i26.i = icmp ne i64 %position.1.2.0.i.i23.i, -1
  %.173.i.i27.i = icmp ule i64 %count.2.0.i.i24.i, %.164.i.i25.i
  %.177.i.i28.i = shl i64 %count.2.0.i.i24.i, 1
  %.181.i.i29.i = icmp ule i64 %.177.i.i28.i, %.164.i.i25.i
  %.not23.i.i = and i1 %.173.i.i27.i, %.181.i.i29.i
  %or.cond71.i.not.i.i = select i1 %.169.i.i26.i, i1 %.not23.i.i, i1 false
  br i1 %or.cond71.i.not.i.i, label %B132.i30.i, label %read_longs.exit.i

B132.i30.i:                                       ; preds = %read_count.exit.i22.i
  %.218.i.i = icmp eq i64 %count.2.0.i.i24.i, 0
  br i1 %.218.i.i, label %B154.i.i, label %B196.i.i

B154.i.i:                                         ; preds = %B132.i30.i
  %.281.i.i = load i64, ptr %sunkaddr180.i.i, align 8
  %.313.i.i = getelementptr i8, ptr %.449.i, i64 8
  store i64 %.281.i.i, ptr %.313.i.i, align 8
  br label %read_longs.exit.i

B196.i.i:                                         ; preds = %B132.i30.i
  %.352.i31.i = load i64, ptr %sunkaddr167.i.i, align 8
  %.354.i32.i = add i64 %.352.i31.i, %count.2.0.i.i24.i
  %.382.i.i = load i64, ptr %sunkaddr171.i.i, align 8
  %.383.i.i = icmp ugt i64 %.354.i32.i, %.382.i.i
  %spec.select.v.i.i = select i1 %.383.i.i, i64 3, i64 2
  %spec.select.i.i = add i64 %spec.select.v.i.i, %.334.i
  %.426.i.i = getelementptr i64, ptr %arg.used, i64 %spec.select.i.i
  %.427.i.i = load i64, ptr %.426.i.i, align 8
  %.429.i.i = add i64 %.427.i.i, %count.2.0.i.i24.i
  %.456.i.i = getelementptr i64, ptr %arg.rooms, i64 %spec.select.i.i
  %.457.i.i = load i64, ptr %.456.i.i, align 8
  %.458.i.i = icmp ugt i64 %.429.i.i, %.457.i.i
  br i1 %.458.i.i, label %B288.i.i, label %B322.i.i

B288.i.i:                                         ; preds = %B196.i.i
  store i64 %spec.select.i.i, ptr %arg.stack, align 8
  br label %read_longs.exit.i

B322.i.i:                                         ; preds = %B196.i.i
  %.580.i.i = load i64, ptr %sunkaddr175.i.i, align 8
  %.608.i.i = load i64, ptr %sunkaddr180.i.i, align 8
  %.609.i.i = add i64 %.608.i.i, %.580.i.i
  %.637.i.i = load i64, ptr %sunkaddr183.i.i, align 8
  %.666.i.i = add i64 %.637.i.i, %.352.i31.i
  %.702.i.i = add i64 %.608.i.i, %count.2.0.i.i24.i
  store i64 %.702.i.i, ptr %sunkaddr180.i.i, align 8
  store i64 %.354.i32.i, ptr %sunkaddr167.i.i, align 8
  %6 = shl i64 %.666.i.i, 3
  %scevgep.i.i = getelementptr i8, ptr %arg.longs, i64 %6
  %7 = shl i64 %.609.i.i, 2
  %scevgep191.i.i = getelementptr i8, ptr %arg.ints, i64 %7
  br label %B476.i.i

B476.i.i:                                         ; preds = %B646.endif.endif.i.i, %B322.i.i
  %lsr.iv.i.i = phi i64 [ 0, %B322.i.i ], [ %lsr.iv.next.i.i, %B646.endif.endif.i.i ]
  %position.6.1.i.i = phi i64 [ %position.1.2.0.i.i23.i, %B322.i.i ], [ %.922.fca.1.load.i.i, %B646.endif.endif.i.i ]
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i.i.i)
  %.32.i.i.i = icmp ult i64 %position.6.1.i.i, %arg.size
  br i1 %.32.i.i.i, label %B68.i.i.i, label %B156.i.i.i

B68.i.i.i:                                        ; preds = %B476.i.i
  %.60.i.i.i = getelementptr i8, ptr %arg.data, i64 %position.6.1.i.i
  %.61.i.i.i = load i8, ptr %.60.i.i.i, align 1
  %.67.i.i.i = icmp sgt i8 %.61.i.i.i, -1
  br i1 %.67.i.i.i, label %B132.i.i.i, label %B156.i.i.i

B132.i.i.i:                                       ; preds = %B68.i.i.i
  %.62.i.i.i = zext nneg i8 %.61.i.i.i to i64
  %.75.i.i.i = add nuw i64 %position.6.1.i.i, 1
  br label %read_number.exit.thread.i.i

B156.i.i.i:                                       ; preds = %B68.i.i.i, %B476.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i.i.i, ptr readonly %arg.data, i64 %arg.size, i64 %position.6.1.i.i)
  %.112.fca.0.load.i.i.i = load i64, ptr %.96.i.i.i, align 8
  %.112.fca.1.load.i.i.i = load i64, ptr %sunkaddr187.i.i, align 8
  br label %read_number.exit.thread.i.i

read_number.exit.thread.i.i: ; preds = %B156.i.i.i, %B132.i.i.i
  %.802.sroa.5.2.ph.i.i = phi i64 [ %.112.fca.1.load.i.i.i, %B156.i.i.i ], [ %.75.i.i.i, %B132.i.i.i ]
  %.802.sroa.0.2.ph.i.i = phi i64 [ %.112.fca.0.load.i.i.i, %B156.i.i.i ], [ %.62.i.i.i, %B132.i.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i.i.i)
  %.845.i.i = icmp eq i64 %.802.sroa.5.2.ph.i.i, -1
  %.848.i.i = icmp ugt i64 %.802.sroa.0.2.ph.i.i, 4294967295
  %or.cond.i.i = select i1 %.845.i.i, i1 true, i1 %.848.i.i
  br i1 %or.cond.i.i, label %read_longs.exit.i, label %B572.i.i

B572.i.i:                                         ; preds = %read_number.exit.thread.i.i
  call fastcc void @read_wide(ptr nonnull %.906.i.i, ptr readonly %arg.data, i64 %arg.size, i64 %.802.sroa.5.2.ph.i.i)
  %.922.fca.1.load.i.i = load i64, ptr %sunkaddr188.i.i, align 8
  %.949.i.i = icmp eq i64 %.922.fca.1.load.i.i, -1
  br i1 %.949.i.i, label %read_longs.exit.i, label %B646.endif.endif.i.i

B646.endif.endif.i.i:                             ; preds = %B572.i.i
  %.922.fca.0.load.i.i = load i64, ptr %.906.i.i, align 8
  %.5.i.i.i = lshr i64 %.802.sroa.0.2.ph.i.i, 1
  %.6.i.i.i = and i64 %.802.sroa.0.2.ph.i.i, 1
  %.8.i.i.i = sub nsw i64 0, %.6.i.i.i
  %.9.i.i.i = xor i64 %.5.i.i.i, %.8.i.i.i
  %.5.i42.i.i = lshr i64 %.922.fca.0.load.i.i, 1
  %.6.i43.i.i = and i64 %.922.fca.0.load.i.i, 1
  %.8.i44.i.i = sub nsw i64 0, %.6.i43.i.i
  %.9.i45.i.i = xor i64 %.5.i42.i.i, %.8.i44.i.i
  %8 = shl i64 %lsr.iv.i.i, 2
  %scevgep192.i.i = getelementptr i8, ptr %scevgep191.i.i, i64 %8
  %.1098.i.i = trunc i64 %.9.i.i.i to i32
  store i32 %.1098.i.i, ptr %scevgep192.i.i, align 4
  %9 = shl i64 %lsr.iv.i.i, 3
  %scevgep190.i.i = getelementptr i8, ptr %scevgep.i.i, i64 %9
  store i64 %.9.i45.i.i, ptr %scevgep190.i.i, align 8
  %lsr.iv.next.i.i = add nuw i64 %lsr.iv.i.i, 1
  %.1140.not22.i.i = icmp eq i64 %count.2.0.i.i24.i, %lsr.iv.next.i.i
  br i1 %.1140.not22.i.i, label %B46.i.i, label %B476.i.i

read_longs.exit.i: ; preds = %read_count.exit.i22.i, %B572.i.i, %read_number.exit.thread.i.i, %B288.i.i, %B154.i.i
  %.sink.i.i = phi i64 [ %position.1.2.0.i.i23.i, %B154.i.i ], [ -1, %B572.i.i ], [ -2, %B288.i.i ], [ -1, %read_number.exit.thread.i.i ], [ -1, %read_count.exit.i22.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.906.i.i)
  %sunkaddr554.i = getelementptr i8, ptr %sunkaddr164.i.i, i64 8
  %.1263.i = load i64, ptr %sunkaddr554.i, align 8
  %.1290.i = getelementptr i32, ptr %arg.ints, i64 %.451.i
  %.1291.i = trunc i64 %.1263.i to i32
  store i32 %.1291.i, ptr %.1290.i, align 4
  br label %B1298.i

B1046.i:                                          ; preds = %B694.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.913.i.i)
  store i64 0, ptr %.913.i.i, align 8
  %.905.i.i = add i64 %.334.i, 4
  %sunkaddr161.i49.i = shl i64 %.334.i, 3
  %sunkaddr164.i50.i = getelementptr i8, ptr %arg.used, i64 %sunkaddr161.i49.i
  %sunkaddr167.i51.i = getelementptr i8, ptr %sunkaddr164.i50.i, i64 24
  %sunkaddr170.i52.i = getelementptr i8, ptr %arg.rooms, i64 %sunkaddr161.i49.i
  %sunkaddr171.i53.i = getelementptr i8, ptr %sunkaddr170.i52.i, i64 24
  %sunkaddr174.i54.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr161.i49.i
  %sunkaddr175.i55.i = getelementptr i8, ptr %sunkaddr174.i54.i, i64 16
  %sunkaddr180.i56.i = getelementptr i8, ptr %sunkaddr164.i50.i, i64 16
  %sunkaddr183.i57.i = getelementptr i8, ptr %sunkaddr174.i54.i, i64 24
  %sunkaddr190.i.i = getelementptr i8, ptr %sunkaddr164.i50.i, i64 32
  br label %B46.i59.i

B46.i59.i:                                        ; preds = %B658.endif.i.i, %B1046.i
  %position.4.0.i60.i = phi i64 [ %position.7.2.i, %B1046.i ], [ %.939.i.i, %B658.endif.i.i ]
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i46.i)
  %.32.i.i.i61.i = icmp ult i64 %position.4.0.i60.i, %arg.size
  br i1 %.32.i.i.i61.i, label %B68.i.i.i149.i, label %B156.i.i.i62.i

B68.i.i.i149.i:                                   ; preds = %B46.i59.i
  %.60.i.i.i150.i = getelementptr i8, ptr %arg.data, i64 %position.4.0.i60.i
  %.61.i.i.i151.i = load i8, ptr %.60.i.i.i150.i, align 1
  %.67.i.i.i152.i = icmp sgt i8 %.61.i.i.i151.i, -1
  br i1 %.67.i.i.i152.i, label %B132.i.i.i153.i, label %B156.i.i.i62.i

B132.i.i.i153.i:                                  ; preds = %B68.i.i.i149.i
  %.62.i.i.i154.i = zext nneg i8 %.61.i.i.i151.i to i64
  %.75.i.i.i155.i = add nuw i64 %position.4.0.i60.i, 1
  br label %B0.endif.i.i65.i

B156.i.i.i62.i:                                   ; preds = %B68.i.i.i149.i, %B46.i59.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i46.i, ptr readonly %arg.data, i64 %arg.size, i64 range(i64 0, -1) %position.4.0.i60.i)
  %.112.fca.0.load.i.i.i63.i = load i64, ptr %.96.i1.i.i46.i, align 8
  %.112.fca.1.load.i.i.i64.i = load i64, ptr %sunkaddr.i.i.i48.i, align 8
  br label %B0.endif.i.i65.i

B84.i.i70.i:                                      ; preds = %B0.endif.i.i65.i
  %.89.i.i71.i = and i64 %.24.sroa.0.0.ph.i.i66.i, 1
  %.92.not.i.i72.i = icmp eq i64 %.89.i.i71.i, 0
  br i1 %.92.not.i.i72.i, label %read_count.exit.i80.i, label %B104.i.i73.i

B104.i.i73.i:                                     ; preds = %B84.i.i70.i
  %.95.i.i74.i = add nuw i64 %.71.i.i68.i, 1
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i1.i.i46.i)
  %.32.i3.i.i75.i = icmp ult i64 %.24.sroa.4.0.ph.i.i67.i, %arg.size
  br i1 %.32.i3.i.i75.i, label %B68.i17.i.i143.i, label %B156.i4.i.i76.i

B68.i17.i.i143.i:                                 ; preds = %B104.i.i73.i
  %.60.i18.i.i144.i = getelementptr i8, ptr %arg.data, i64 %.24.sroa.4.0.ph.i.i67.i
  %.61.i19.i.i145.i = load i8, ptr %.60.i18.i.i144.i, align 1
  %.67.i20.i.i146.i = icmp sgt i8 %.61.i19.i.i145.i, -1
  br i1 %.67.i20.i.i146.i, label %B132.i21.i.i147.i, label %B156.i4.i.i76.i

B132.i21.i.i147.i:                                ; preds = %B68.i17.i.i143.i
  %.75.i23.i.i148.i = add nuw i64 %.24.sroa.4.0.ph.i.i67.i, 1
  br label %read_number.exit25.thread.i.i78.i

B156.i4.i.i76.i:                                  ; preds = %B68.i17.i.i143.i, %B104.i.i73.i
  call fastcc void @read_wide(ptr nonnull %.96.i1.i.i46.i, ptr readonly %arg.data, i64 %arg.size, i64 %.24.sroa.4.0.ph.i.i67.i)
  %.112.fca.1.load.i15.i.i77.i = load i64, ptr %sunkaddr.i.i.i48.i, align 8
  br label %read_number.exit25.thread.i.i78.i

read_number.exit25.thread.i.i78.i: ; preds = %B156.i4.i.i76.i, %B132.i21.i.i147.i
  %.103.sroa.3.0.ph.i.i79.i = phi i64 [ %.112.fca.1.load.i15.i.i77.i, %B156.i4.i.i76.i ], [ %.75.i23.i.i148.i, %B132.i21.i.i147.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i46.i)
  br label %read_count.exit.i80.i

B0.endif.i.i65.i:                                 ; preds = %B156.i.i.i62.i, %B132.i.i.i153.i
  %.24.sroa.0.0.ph.i.i66.i = phi i64 [ %.112.fca.0.load.i.i.i63.i, %B156.i.i.i62.i ], [ %.62.i.i.i154.i, %B132.i.i.i153.i ]
  %.24.sroa.4.0.ph.i.i67.i = phi i64 [ %.112.fca.1.load.i.i.i64.i, %B156.i.i.i62.i ], [ %.75.i.i.i155.i, %B132.i.i.i153.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i1.i.i46.i)
  %.71.i.i68.i = lshr i64 %.24.sroa.0.0.ph.i.i66.i, 1
  %.80.not.i.i69.i = icmp eq i64 %.24.sroa.4.0.ph.i.i67.i, -1
  br i1 %.80.not.i.i69.i, label %read_count.exit.i80.i, label %B84.i.i70.i

read_count.exit.i80.i: ; preds = %B0.endif.i.i65.i, %read_number.exit25.thread.i.i78.i, %B84.i.i70.i
  %position.1.2.0.i.i81.i = phi i64 [ -1, %B0.endif.i.i65.i ], [ %.24.sroa.4.0.ph.i.i67.i, %B84.i.i70.i ], [ %.103.sroa.3.0.ph.i.i79.i, %read_number.exit25.thread.i.i78.i ]
  %count.2.0.i.i82.i = phi i64 [ %.71.i.i68.i, %B0.endif.i.i65.i ], [ %.71.i.i68.i, %B84.i.i70.i ], [ %.95.i.i74.i, %read_number.exit25.thread.i.i78.i ]
  %.164.i.i83.i = sub i64 %arg.size, %position.1.2.0.i.i81.i
  %.169.i.i84.i = icmp ne i64 %position.1.2.0.i.i81.i, -1
  %.173.i.i85.i = icmp ule i64 %count.2.0.i.i82.i, %.164.i.i83.i
  %.177.i.i86.i = shl i64 %count.2.0.i.i82.i, 1
  %.181.i.i87.i = icmp ule i64 %.177.i.i86.i, %.164.i.i83.i
  %.not23.i88.i = and i1 %.173.i.i85.i, %.181.i.i87.i
  %or.cond71.i.not.i89.i = select i1 %.169.i.i84.i, i1 %.not23.i88.i, i1 false
  br i1 %or.cond71.i.not.i89.i, label %B132.i90.i, label %read_blobs.exit.i

B132.i90.i:                                       ; preds = %read_count.exit.i80.i
  %.218.i91.i = icmp eq i64 %count.2.0.i.i82.i, 0
  br i1 %.218.i91.i, label %B154.i140.i, label %B196.i92.i

B154.i140.i:                                      ; preds = %B132.i90.i
  %.281.i141.i = load i64, ptr %sunkaddr180.i56.i, align 8
  %.313.i142.i = getelementptr i8, ptr %.449.i, i64 8
  store i64 %.281.i141.i, ptr %.313.i142.i, align 8
  br label %read_blobs.exit.i

B196.i92.i:                                       ; preds = %B132.i90.i
  %.352.i93.i = load i64, ptr %sunkaddr167.i51.i, align 8
  %.354.i94.i = add i64 %.352.i93.i, %count.2.0.i.i82.i
  %.382.i95.i = load i64, ptr %sunkaddr171.i53.i, align 8
  %.383.i96.i = icmp ugt i64 %.354.i94.i, %.382.i95.i
  %spec.select.v.i97.i = select i1 %.383.i96.i, i64 3, i64 2
  %spec.select.i98.i = add i64 %spec.select.v.i97.i, %.334.i
  %.426.i99.i = getelementptr i64, ptr %arg.used, i64 %spec.select.i98.i
  %.427.i100.i = load i64, ptr %.426.i99.i, align 8
  %.429.i101.i = add i64 %.427.i100.i, %count.2.0.i.i82.i
  %.456.i102.i = getelementptr i64, ptr %arg.rooms, i64 %spec.select.i98.i
  %.457.i103.i = load i64, ptr %.456.i102.i, align 8
  %.458.i104.i = icmp ugt i64 %.429.i101.i, %.457.i103.i
  br i1 %.458.i104.i, label %B288.i139.i, label %B322.i105.i

B288.i139.i:                                      ; preds = %B196.i92.i
  store i64 %spec.select.i98.i, ptr %arg.stack, align 8
  br label %read_blobs.exit.i

B322.i105.i:                                      ; preds = %B196.i92.i
  %.580.i106.i = load i64, ptr %sunkaddr175.i55.i, align 8
  %.608.i107.i = load i64, ptr %sunkaddr180.i56.i, align 8
  %.609.i108.i = add i64 %.608.i107.i, %.580.i106.i
  %.637.i109.i = load i64, ptr %sunkaddr183.i57.i, align 8
  %.666.i110.i = add i64 %.637.i109.i, %.352.i93.i
  %.702.i111.i = add i64 %.608.i107.i, %count.2.0.i.i82.i
  store i64 %.702.i111.i, ptr %sunkaddr180.i56.i, align 8
  store i64 %.354.i94.i, ptr %sunkaddr167.i51.i, align 8
  %10 = shl i64 %.666.i110.i, 2
  %scevgep.i112.i = getelementptr i8, ptr %arg.ints, i64 %10
  %11 = shl i64 %.609.i108.i, 2
  %scevgep179.i.i = getelementptr i8, ptr %arg.ints, i64 %11
  br label %B476.i113.i

B476.i113.i:                                      ; preds = %B658.endif.i.i, %B322.i105.i
  %lsr.iv.i114.i = phi i64 [ 0, %B322.i105.i ], [ %lsr.iv.next.i131.i, %B658.endif.i.i ]
  %position.6.1.i115.i = phi i64 [ %position.1.2.0.i.i81.i, %B322.i105.i ], [ %.939.i.i, %B658.endif.i.i ]
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i.i47.i)
  %.32.i.i116.i = icmp ult i64 %position.6.1.i115.i, %arg.size
  br i1 %.32.i.i116.i, label %B68.i.i132.i, label %B156.i.i117.i

B68.i.i132.i:                                     ; preds = %B476.i113.i
  %.60.i.i133.i = getelementptr i8, ptr %arg.data, i64 %position.6.1.i115.i
  %.61.i.i134.i = load i8, ptr %.60.i.i133.i, align 1
  %.67.i.i135.i = icmp sgt i8 %.61.i.i134.i, -1
  br i1 %.67.i.i135.i, label %B132.i.i136.i, label %B156.i.i117.i

B132.i.i136.i:                                    ; preds = %B68.i.i132.i
  %.62.i.i137.i = zext nneg i8 %.61.i.i134.i to i64
  %.75.i.i138.i = add nuw i64 %position.6.1.i115.i, 1
  br label %read_number.exit.thread.i120.i

B156.i.i117.i:                                    ; preds = %B68.i.i132.i, %B476.i113.i
  call fastcc void @read_wide(ptr nonnull %.96.i.i47.i, ptr readonly %arg.data, i64 %arg.size, i64 %position.6.1.i115.i)
  %.112.fca.0.load.i.i118.i = load i64, ptr %.96.i.i47.i, align 8
  %.112.fca.1.load.i.i119.i = load i64, ptr %sunkaddr187.i58.i, align 8
  br label %read_number.exit.thread.i120.i

read_number.exit.thread.i120.i: ; preds = %B156.i.i117.i, %B132.i.i136.i
  %.802.sroa.5.2.ph.i121.i = phi i64 [ %.112.fca.1.load.i.i119.i, %B156.i.i117.i ], [ %.75.i.i138.i, %B132.i.i136.i ]
  %.802.sroa.0.2.ph.i122.i = phi i64 [ %.112.fca.0.load.i.i118.i, %B156.i.i117.i ], [ %.62.i.i137.i, %B132.i.i136.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i.i47.i)
  %.845.i123.i = icmp eq i64 %.802.sroa.5.2.ph.i121.i, -1
  %.848.i124.i = icmp ugt i64 %.802.sroa.0.2.ph.i122.i, 4294967295
  %or.cond.i125.i = select i1 %.845.i123.i, i1 true, i1 %.848.i124.i
  br i1 %or.cond.i125.i, label %read_blobs.exit.i, label %B572.i126.i

B572.i126.i:                                      ; preds = %read_number.exit.thread.i120.i
  store i64 0, ptr %.913.i.i, align 8
  call fastcc void @read_bytes(ptr nonnull %.913.i.i, ptr readonly %arg.data, i64 %arg.size, i64 %.802.sroa.5.2.ph.i121.i, i64 %.905.i.i, ptr %arg.octets, ptr nonnull readonly %arg.starts, ptr nonnull readonly %arg.rooms, ptr nonnull %arg.used, ptr %arg.stack)
  %.939.i.i = load i64, ptr %.913.i.i, align 8
  %.955.i.i = icmp ugt i64 %.939.i.i, -3
  br i1 %.955.i.i, label %read_blobs.exit.i, label %B658.endif.i.i

B658.endif.i.i:                                   ; preds = %B572.i126.i
  %.5.i.i127.i = lshr i64 %.802.sroa.0.2.ph.i122.i, 1
  %.6.i.i128.i = and i64 %.802.sroa.0.2.ph.i122.i, 1
  %.8.i.i129.i = sub nsw i64 0, %.6.i.i128.i
  %.9.i.i130.i = xor i64 %.5.i.i127.i, %.8.i.i129.i
  %.1076.i.i = load i64, ptr %sunkaddr190.i.i, align 8
  %12 = shl i64 %lsr.iv.i114.i, 2
  %scevgep180.i.i = getelementptr i8, ptr %scevgep179.i.i, i64 %12
  %.1104.i.i = trunc i64 %.9.i.i130.i to i32
  store i32 %.1104.i.i, ptr %scevgep180.i.i, align 4
  %scevgep178.i.i = getelementptr i8, ptr %scevgep.i112.i, i64 %12
  %.1133.i.i = trunc i64 %.1076.i.i to i32
  store i32 %.1133.i.i, ptr %scevgep178.i.i, align 4
  %lsr.iv.next.i131.i = add nuw i64 %lsr.iv.i114.i, 1
  %.1147.not22.i.i = icmp eq i64 %count.2.0.i.i82.i, %lsr.iv.next.i131.i
  br i1 %.1147.not22.i.i, label %B46.i59.i, label %B476.i113.i

read_blobs.exit.i: ; preds = %read_count.exit.i80.i, %B572.i126.i, %read_number.exit.thread.i120.i, %B288.i139.i, %B154.i140.i
  %.939.lcssa.sink.i.i = phi i64 [ %position.1.2.0.i.i81.i, %B154.i140.i ], [ -1, %read_number.exit.thread.i120.i ], [ -2, %B288.i139.i ], [ %.939.i.i, %B572.i126.i ], [ -1, %read_count.exit.i80.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.913.i.i)
  %sunkaddr557.i = getelementptr i8, ptr %sunkaddr164.i50.i, i64 8
  %.1386.i = load i64, ptr %sunkaddr557.i, align 8
  %.1413.i = getelementptr i32, ptr %arg.ints, i64 %.451.i
  %.1414.i = trunc i64 %.1386.i to i32
  store i32 %.1414.i, ptr %.1413.i, align 4
  br label %B1298.i

B1154.i:                                          ; preds = %B694.i
  %.1431.i = add i64 %.334.i, 1
  store i64 0, ptr %.1439.i, align 8
  call fastcc void @read_bytes(ptr nonnull %.1439.i, ptr readonly %arg.data, i64 %arg.size, i64 %position.7.2.i, i64 %.1431.i, ptr %arg.octets, ptr nonnull readonly %arg.starts, ptr nonnull readonly %arg.rooms, ptr nonnull %arg.used, ptr %arg.stack)
  %.1465.i = load i64, ptr %.1439.i, align 8
  %sunkaddr558.i = shl i64 %.334.i, 3
  %sunkaddr559.i = getelementptr i8, ptr %arg.used, i64 %sunkaddr558.i
  %sunkaddr560.i = getelementptr i8, ptr %sunkaddr559.i, i64 8
  %.1507.i = load i64, ptr %sunkaddr560.i, align 8
  %.1534.i = getelementptr i32, ptr %arg.ints, i64 %.451.i
  %.1535.i = trunc i64 %.1507.i to i32
  store i32 %.1535.i, ptr %.1534.i, align 4
  br label %B1298.i

B1254.i:                                          ; preds = %B694.i
  br i1 %.453.i, label %B26.i175.i, label %B158.i.i

B26.i175.i:                                       ; preds = %B1254.i
  %.98.i.i = sub i64 %arg.size, %position.7.2.i
  %.100.i.i = icmp ugt i64 %.383.i, %.98.i.i
  br i1 %.100.i.i, label %run.exit, label %B110.i.i

B110.i.i:                                         ; preds = %B26.i175.i
  %.42.i.i.i = icmp ult i64 %.383.i, 17
  %.56.i.i.i = icmp ugt i64 %.98.i.i, 15
  %or.cond.i.i176.i = and i1 %.56.i.i.i, %.42.i.i.i
  br i1 %or.cond.i.i176.i, label %B106.endif.endif.endif.endif.i.i.i, label %B274.i.i.i

B274.i.i.i:                                       ; preds = %B110.i.i
  %.200.not.i.i.i = icmp eq i64 %.383.i, 0
  br i1 %.200.not.i.i.i, label %copy.exit.i.i, label %iter.check.i.i.i

iter.check.i.i.i:                                 ; preds = %B274.i.i.i
  %13 = getelementptr i8, ptr %arg.data, i64 %position.7.2.i
  %14 = getelementptr i8, ptr %arg.octets, i64 %.451.i
  %min.iters.check.i.i.i = icmp ult i64 %.383.i, 4
  br i1 %min.iters.check.i.i.i, label %B300.preheader.i.i.i, label %vector.memcheck.i.i.i

vector.memcheck.i.i.i:                            ; preds = %iter.check.i.i.i
  %15 = add i64 %position.7.2.i, %1
  %.neg1.i.i.i = sub i64 %0, %15
  %16 = add i64 %.neg1.i.i.i, %.451.i
  %diff.check.i.i.i = icmp ult i64 %16, 32
  br i1 %diff.check.i.i.i, label %B300.preheader.i.i.i, label %vector.main.loop.iter.check.i.i.i

vector.main.loop.iter.check.i.i.i:                ; preds = %vector.memcheck.i.i.i
  %min.iters.check6.i.i.i = icmp ult i64 %.383.i, 32
  br i1 %min.iters.check6.i.i.i, label %vec.epilog.ph.i.i.i, label %vector.ph.i.i.i

vector.ph.i.i.i:                                  ; preds = %vector.main.loop.iter.check.i.i.i
  %n.vec.i.i.i = and i64 %.383.i, -32
  %scevgep16.i.i.i = getelementptr i8, ptr %14, i64 16
  %scevgep24.i.i.i = getelementptr i8, ptr %13, i64 16
  br label %vector.body.i.i.i

vector.body.i.i.i:                                ; preds = %vector.body.i.i.i, %vector.ph.i.i.i
  %index.i.i.i = phi i64 [ 0, %vector.ph.i.i.i ], [ %index.next.i.i.i, %vector.body.i.i.i ]
  %scevgep28.i.i.i = getelementptr i8, ptr %scevgep24.i.i.i, i64 %index.i.i.i
  %scevgep29.i.i.i = getelementptr i8, ptr %scevgep28.i.i.i, i64 -16
  %wide.load.i.i.i = load <16 x i8>, ptr %scevgep29.i.i.i, align 1
  %wide.load7.i.i.i = load <16 x i8>, ptr %scevgep28.i.i.i, align 1
  %scevgep20.i.i.i = getelementptr i8, ptr %scevgep16.i.i.i, i64 %index.i.i.i
  %scevgep23.i.i.i = getelementptr i8, ptr %scevgep20.i.i.i, i64 -16
  store <16 x i8> %wide.load.i.i.i, ptr %scevgep23.i.i.i, align 1
  store <16 x i8> %wide.load7.i.i.i, ptr %scevgep20.i.i.i, align 1
  %index.next.i.i.i = add nuw i64 %index.i.i.i, 32
  %17 = icmp eq i64 %n.vec.i.i.i, %index.next.i.i.i
  br i1 %17, label %middle.block.i.i.i, label %vector.body.i.i.i

middle.block.i.i.i:                               ; preds = %vector.body.i.i.i
  %cmp.n.i.i.i = icmp eq i64 %.383.i, %n.vec.i.i.i
  br i1 %cmp.n.i.i.i, label %copy.exit.i.i, label %vec.epilog.iter.check.i.i.i

vec.epilog.iter.check.i.i.i:                      ; preds = %middle.block.i.i.i
  %18 = and i64 %.383.i, 28
  %min.epilog.iters.check.i.i.i = icmp eq i64 %18, 0
  br i1 %min.epilog.iters.check.i.i.i, label %B300.preheader.i.i.i, label %vec.epilog.ph.i.i.i

vec.epilog.ph.i.i.i:                              ; preds = %vec.epilog.iter.check.i.i.i, %vector.main.loop.iter.check.i.i.i
  %vec.epilog.resume.val.i.i.i = phi i64 [ %n.vec.i.i.i, %vec.epilog.iter.check.i.i.i ], [ 0, %vector.main.loop.iter.check.i.i.i ]
  %n.vec9.i.i.i = and i64 %.383.i, -4
  br label %vec.epilog.vector.body.i.i.i

vec.epilog.vector.body.i.i.i:                     ; preds = %vec.epilog.vector.body.i.i.i, %vec.epilog.ph.i.i.i
  %index10.i.i.i = phi i64 [ %vec.epilog.resume.val.i.i.i, %vec.epilog.ph.i.i.i ], [ %index.next12.i.i.i, %vec.epilog.vector.body.i.i.i ]
  %19 = getelementptr i8, ptr %13, i64 %index10.i.i.i
  %wide.load11.i.i.i = load <4 x i8>, ptr %19, align 1
  %20 = getelementptr i8, ptr %14, i64 %index10.i.i.i
  store <4 x i8> %wide.load11.i.i.i, ptr %20, align 1
  %index.next12.i.i.i = add nuw i64 %index10.i.i.i, 4
  %21 = icmp eq i64 %n.vec9.i.i.i, %index.next12.i.i.i
  br i1 %21, label %vec.epilog.middle.block.i.i.i, label %vec.epilog.vector.body.i.i.i

vec.epilog.middle.block.i.i.i:                    ; preds = %vec.epilog.vector.body.i.i.i
  %cmp.n13.i.i.i = icmp eq i64 %.383.i, %n.vec9.i.i.i
  br i1 %cmp.n13.i.i.i, label %copy.exit.i.i, label %B300.preheader.i.i.i

B300.preheader.i.i.i:                             ; preds = %vec.epilog.middle.block.i.i.i, %vec.epilog.iter.check.i.i.i, %vector.memcheck.i.i.i, %iter.check.i.i.i
  %done.2.0.ph.i.i.i = phi i64 [ 0, %iter.check.i.i.i ], [ 0, %vector.memcheck.i.i.i ], [ %n.vec.i.i.i, %vec.epilog.iter.check.i.i.i ], [ %n.vec9.i.i.i, %vec.epilog.middle.block.i.i.i ]
  %xtraiter.i.i.i = and i64 %.383.i, 3
  %lcmp.mod.not.i.i.i = icmp eq i64 %xtraiter.i.i.i, 0
  br i1 %lcmp.mod.not.i.i.i, label %B300.prol.loopexit.i.i.i, label %B300.prol.i.i.i

B300.prol.i.i.i:                                  ; preds = %B300.preheader.i.i.i, %B300.prol.i.i.i
  %lsr.iv.i.i.i = phi i64 [ %lsr.iv.next.i.i.i, %B300.prol.i.i.i ], [ %xtraiter.i.i.i, %B300.preheader.i.i.i ]
  %done.2.0.prol.i.i.i = phi i64 [ %.263.prol.i.i.i, %B300.prol.i.i.i ], [ %done.2.0.ph.i.i.i, %B300.preheader.i.i.i ]
  %.230.prol.i.i.i = getelementptr i8, ptr %13, i64 %done.2.0.prol.i.i.i
  %.231.prol.i.i.i = load i8, ptr %.230.prol.i.i.i, align 1
  %.260.prol.i.i.i = getelementptr i8, ptr %14, i64 %done.2.0.prol.i.i.i
  store i8 %.231.prol.i.i.i, ptr %.260.prol.i.i.i, align 1
  %.263.prol.i.i.i = add nuw nsw i64 %done.2.0.prol.i.i.i, 1
  %lsr.iv.next.i.i.i = add nsw i64 %lsr.iv.i.i.i, -1
  %prol.iter.cmp.not.i.i.i = icmp eq i64 %lsr.iv.next.i.i.i, 0
  br i1 %prol.iter.cmp.not.i.i.i, label %B300.prol.loopexit.i.i.i, label %B300.prol.i.i.i

B300.prol.loopexit.i.i.i:                         ; preds = %B300.prol.i.i.i, %B300.preheader.i.i.i
  %done.2.0.unr.i.i.i = phi i64 [ %done.2.0.ph.i.i.i, %B300.preheader.i.i.i ], [ %.263.prol.i.i.i, %B300.prol.i.i.i ]
  %22 = sub i64 %done.2.0.ph.i.i.i, %.383.i
  %23 = icmp ugt i64 %22, -4
  br i1 %23, label %copy.exit.i.i, label %B300.preheader14.i.i.i

B300.preheader14.i.i.i:                           ; preds = %B300.prol.loopexit.i.i.i
  %scevgep.i.i.i = getelementptr i8, ptr %14, i64 3
  %scevgep22.i.i.i = getelementptr i8, ptr %13, i64 3
  br label %B300.i.i.i

B300.i.i.i:                                       ; preds = %B300.i.i.i, %B300.preheader14.i.i.i
  %done.2.0.i.i.i = phi i64 [ %.263.3.i.i.i, %B300.i.i.i ], [ %done.2.0.unr.i.i.i, %B300.preheader14.i.i.i ]
  %scevgep26.i.i.i = getelementptr i8, ptr %scevgep22.i.i.i, i64 %done.2.0.i.i.i
  %scevgep27.i.i.i = getelementptr i8, ptr %scevgep26.i.i.i, i64 -3
  %.231.i.i.i = load i8, ptr %scevgep27.i.i.i, align 1
  %scevgep18.i.i.i = getelementptr i8, ptr %scevgep.i.i.i, i64 %done.2.0.i.i.i
  %scevgep19.i.i.i = getelementptr i8, ptr %scevgep18.i.i.i, i64 -3
  store i8 %.231.i.i.i, ptr %scevgep19.i.i.i, align 1
  %scevgep15.i.i.i = getelementptr i8, ptr %scevgep26.i.i.i, i64 -2
  %.231.1.i.i.i = load i8, ptr %scevgep15.i.i.i, align 1
  %scevgep21.i.i.i = getelementptr i8, ptr %scevgep18.i.i.i, i64 -2
  store i8 %.231.1.i.i.i, ptr %scevgep21.i.i.i, align 1
  %scevgep13.i.i.i = getelementptr i8, ptr %scevgep26.i.i.i, i64 -1
  %.231.2.i.i.i = load i8, ptr %scevgep13.i.i.i, align 1
  %scevgep10.i.i.i = getelementptr i8, ptr %scevgep18.i.i.i, i64 -1
  store i8 %.231.2.i.i.i, ptr %scevgep10.i.i.i, align 1
  %.231.3.i.i.i = load i8, ptr %scevgep26.i.i.i, align 1
  store i8 %.231.3.i.i.i, ptr %scevgep18.i.i.i, align 1
  %.263.3.i.i.i = add nuw i64 %done.2.0.i.i.i, 4
  %exitcond.not.3.i.i.i = icmp eq i64 %.383.i, %.263.3.i.i.i
  br i1 %exitcond.not.3.i.i.i, label %copy.exit.i.i, label %B300.i.i.i

B106.endif.endif.endif.endif.i.i.i:               ; preds = %B110.i.i
  %.41.i.i.i.i = getelementptr i8, ptr %arg.data, i64 %position.7.2.i
  %.42.i.i.i.i = load i64, ptr %.41.i.i.i.i, align 1
  %.41.i1.i.i.i = getelementptr i8, ptr %.41.i.i.i.i, i64 8
  %.42.i2.i.i.i = load i64, ptr %.41.i1.i.i.i, align 1
  %.43.i.i.i.i = getelementptr i8, ptr %arg.octets, i64 %.451.i
  store i64 %.42.i.i.i.i, ptr %.43.i.i.i.i, align 1
  %.43.i3.i.i.i = getelementptr i8, ptr %.43.i.i.i.i, i64 8
  store i64 %.42.i2.i.i.i, ptr %.43.i3.i.i.i, align 1
  br label %copy.exit.i.i

copy.exit.i.i: ; preds = %B300.i.i.i, %B106.endif.endif.endif.endif.i.i.i, %B300.prol.loopexit.i.i.i, %vec.epilog.middle.block.i.i.i, %middle.block.i.i.i, %B274.i.i.i
  %.170.i.i = add i64 %.383.i, %position.7.2.i
  br label %B1298.i

B158.i.i:                                         ; preds = %B1254.i
  call void @llvm.lifetime.start.p0(ptr nonnull %.96.i.i156.i)
  %.32.i.i157.i = icmp ugt i64 %arg.size, %position.7.2.i
  br i1 %.32.i.i157.i, label %B68.i.i168.i, label %B156.i.i158.i

B68.i.i168.i:                                     ; preds = %B158.i.i
  %.60.i.i169.i = getelementptr i8, ptr %arg.data, i64 %position.7.2.i
  %.61.i.i170.i = load i8, ptr %.60.i.i169.i, align 1
  %.67.i.i171.i = icmp sgt i8 %.61.i.i170.i, -1
  br i1 %.67.i.i171.i, label %B132.i.i172.i, label %B156.i.i158.i

B132.i.i172.i:                                    ; preds = %B68.i.i168.i
  %.62.i.i173.i = zext nneg i8 %.61.i.i170.i to i64
  %.75.i.i174.i = add nuw i64 %position.7.2.i, 1
  br label %read_number.exit.thread.i161.i

B156.i.i158.i:                                    ; preds = %B68.i.i168.i, %B158.i.i
  call fastcc void @read_wide(ptr nonnull %.96.i.i156.i, ptr readonly %arg.data, i64 %arg.size, i64 range(i64 0, -1) %position.7.2.i)
  %.112.fca.0.load.i.i159.i = load i64, ptr %.96.i.i156.i, align 8
  %.112.fca.1.load.i.i160.i = load i64, ptr %sunkaddr.i.i.i, align 8
  br label %read_number.exit.thread.i161.i

read_number.exit.thread.i161.i: ; preds = %B156.i.i158.i, %B132.i.i172.i
  %.187.sroa.4.0.ph.i.i = phi i64 [ %.112.fca.1.load.i.i160.i, %B156.i.i158.i ], [ %.75.i.i174.i, %B132.i.i172.i ]
  %.187.sroa.0.0.ph.i.i = phi i64 [ %.112.fca.0.load.i.i159.i, %B156.i.i158.i ], [ %.62.i.i173.i, %B132.i.i172.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.96.i.i156.i)
  %.235.i.i = icmp eq i64 %.285.i, 0
  br i1 %.235.i.i, label %B218.endif.i.i, label %B256.i.i

B256.i.i:                                         ; preds = %read_number.exit.thread.i161.i
  %.314.i.i = icmp ult i64 %.187.sroa.0.0.ph.i.i, 4294967296
  br i1 %.314.i.i, label %B278.endif.i.i, label %run.exit

B218.endif.i.i:                                   ; preds = %read_number.exit.thread.i161.i
  %.5.i.i163.i = lshr i64 %.187.sroa.0.0.ph.i.i, 1
  %.6.i.i164.i = and i64 %.187.sroa.0.0.ph.i.i, 1
  %.8.i.i165.i = sub nsw i64 0, %.6.i.i164.i
  %.9.i.i166.i = xor i64 %.5.i.i163.i, %.8.i.i165.i
  %.298.i167.i = getelementptr i64, ptr %arg.longs, i64 %.451.i
  store i64 %.9.i.i166.i, ptr %.298.i167.i, align 8
  br label %B1298.i

B278.endif.i.i:                                   ; preds = %B256.i.i
  %.5.i1.i.i = lshr i64 %.187.sroa.0.0.ph.i.i, 1
  %.6.i2.i.i = and i64 %.187.sroa.0.0.ph.i.i, 1
  %.8.i3.i.i = sub nsw i64 0, %.6.i2.i.i
  %.9.i4.i.i = xor i64 %.5.i1.i.i, %.8.i3.i.i
  %.371.i.i = getelementptr i32, ptr %arg.ints, i64 %.451.i
  %.372.i162.i = trunc i64 %.9.i4.i.i to i32
  store i32 %.372.i162.i, ptr %.371.i.i, align 4
  br label %B1298.i

B1298.i:                                          ; preds = %B278.endif.i.i, %B218.endif.i.i, %copy.exit.i.i, %B1154.i, %read_blobs.exit.i, %read_longs.exit.i, %B810.i, %B222.i.i, %B156.preheader.i.i, %B134.i.i, %B98.i.i, %B62.i.i, %B26.i.i
  %position.8.4.i = phi i64 [ %position.7.2.i, %B222.i.i ], [ %.915.sroa.5.5.ph.i, %B810.i ], [ %.sink.i.i, %read_longs.exit.i ], [ %.939.lcssa.sink.i.i, %read_blobs.exit.i ], [ %.1465.i, %B1154.i ], [ %position.7.2.i, %B26.i.i ], [ %position.7.2.i, %B62.i.i ], [ %position.7.2.i, %B98.i.i ], [ %position.7.2.i, %B134.i.i ], [ %position.7.2.i, %B156.preheader.i.i ], [ %.170.i.i, %copy.exit.i.i ], [ %.187.sroa.4.0.ph.i.i, %B278.endif.i.i ], [ %.187.sroa.4.0.ph.i.i, %B218.endif.i.i ]
  %null_until.4.4.i = phi i64 [ %null_until.3.2.i, %B222.i.i ], [ %spec.select1218.i, %B810.i ], [ %null_until.3.2.i, %read_longs.exit.i ], [ %null_until.3.2.i, %read_blobs.exit.i ], [ %null_until.3.2.i, %B1154.i ], [ %null_until.3.2.i, %B26.i.i ], [ %null_until.3.2.i, %B62.i.i ], [ %null_until.3.2.i, %B98.i.i ], [ %null_until.3.2.i, %B134.i.i ], [ %null_until.3.2.i, %B156.preheader.i.i ], [ %null_until.3.2.i, %copy.exit.i.i ], [ %null_until.3.2.i, %B278.endif.i.i ], [ %null_until.3.2.i, %B218.endif.i.i ]
  %position.8.4.fr.i = freeze i64 %position.8.4.i
  %.1596.i = icmp ugt i64 %position.8.4.fr.i, -3
  br i1 %.1596.i, label %B1320.i, label %B1370.i

B1320.i:                                          ; preds = %B1298.i
  %.1664.i = icmp eq i64 %position.8.4.fr.i, -2
  %spec.select11.i = select i1 %.1664.i, i64 1, i64 2
  br label %run.exit

B1370.i:                                          ; preds = %B1298.i
  %sunkaddr548.i = shl i64 %.334.i, 3
  %sunkaddr549.i = getelementptr i8, ptr %arg.used, i64 %sunkaddr548.i
  %.1720.i = load i64, ptr %sunkaddr549.i, align 8
  %.1722.i = add i64 %.1720.i, %spec.select.i
  store i64 %.1722.i, ptr %sunkaddr549.i, align 8
  %.1756.i = add i64 %at.4.2.i, 1
  %scevgep544.i = getelementptr i8, ptr %lsr.iv.i, i64 32
  %exitcond.not.i = icmp eq i64 %arg.operations, %.1756.i
  br i1 %exitcond.not.i, label %B1436.i, label %B204.i

B1436.i:                                          ; preds = %B190.i, %B1370.i
  %position.11.3.i = phi i64 [ %position.8.4.fr.i, %B1370.i ], [ %position.9.1.i, %B190.i ]
  %exitcond1371.not.i = icmp eq i64 %.192.i, %arg.records
  br i1 %exitcond1371.not.i, label %B1450.i, label %B148.i

B1450.i:                                          ; preds = %B1436.i, %B0.endif.endif.endif.endif.endif.endif.endif.endif.endif
  %position.12.1.i = phi i64 [ 0, %B0.endif.endif.endif.endif.endif.endif.endif.endif.endif ], [ %position.11.3.i, %B1436.i ]
  %.1854.i = icmp eq i64 %position.12.1.i, %arg.size
  %spec.select1217.i = select i1 %.1854.i, i64 0, i64 2
  br label %run.exit

run.exit: ; preds = %go_through.exit.i, %read_number.exit.thread.i, %B26.i175.i, %B256.i.i, %B410.i, %B1320.i, %B1450.i
  %spec.select1217.sink.i = phi i64 [ %spec.select1217.i, %B1450.i ], [ %spec.select11.i, %B1320.i ], [ 2, %read_number.exit.thread.i ], [ 1, %B410.i ], [ 2, %B256.i.i ], [ 2, %B26.i175.i ], [ 2, %go_through.exit.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.1439.i)
  store i64 %spec.select1217.sink.i, ptr %retptr, align 8
  ret i32 0
}

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #2

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define internal fastcc void @read_wide(ptr noalias nonnull writeonly captures(none) initializes((0, 16)) %retptr, ptr readonly captures(none) %arg.data.4, i64 %arg.data.5.0, i64 range(i64 0, -1) %arg.position) unnamed_addr #3 {
B0:
  %.32 = icmp ugt i64 %arg.data.5.0, %arg.position
  %.45 = sub i64 %arg.data.5.0, %arg.position
  %.46 = icmp ugt i64 %.45, 7
  %or.cond = and i1 %.32, %.46
  br i1 %or.cond, label %B148.endif, label %B528

common.ret:                                       ; preds = %B86.9.i, %B282.8.i, %B282.7.i, %B282.6.i, %B282.5.i, %B282.4.i, %B282.3.i, %B282.2.i, %B282.1.i, %B282.i, %B202.i, %B528, %B206
  %.sink132.i.sink = phi i64 [ %.120, %B206 ], [ %spec.select112.i, %B202.i ], [ 0, %B86.9.i ], [ 0, %B282.8.i ], [ 0, %B282.7.i ], [ 0, %B282.6.i ], [ 0, %B282.5.i ], [ 0, %B282.4.i ], [ 0, %B282.3.i ], [ 0, %B282.2.i ], [ 0, %B282.1.i ], [ 0, %B282.i ], [ 0, %B528 ]
  %.sink.i.sink = phi i64 [ %.128, %B206 ], [ %spec.select.i, %B202.i ], [ -1, %B86.9.i ], [ -1, %B282.8.i ], [ -1, %B282.7.i ], [ -1, %B282.6.i ], [ -1, %B282.5.i ], [ -1, %B282.4.i ], [ -1, %B282.3.i ], [ -1, %B282.2.i ], [ -1, %B282.1.i ], [ -1, %B282.i ], [ -1, %B528 ]
  store i64 %.sink132.i.sink, ptr %retptr, align 8
  %retptr.repack73 = getelementptr inbounds nuw i8, ptr %retptr, i64 8
  store i64 %.sink.i.sink, ptr %retptr.repack73, align 8
  ret void

B206:                                             ; preds = %B148.endif
  %.84 = xor i64 %.83, -9187201950435737472
  %.97 = or i64 %.42.i, 9187201950435737471
  %.98 = add nuw i64 %.97, 1
  %.100 = and i64 %.84, %.98
  %.103 = add i64 %.100, 9223372036854775807
  %.106 = and i64 %.103, %.42.i
  %.109 = lshr i64 %.106, 1
  %.110 = and i64 %.109, 4575727041462157184
  %.111 = and i64 %.106, 35747867511423103
  %.112 = or disjoint i64 %.110, %.111
  %.113 = lshr i64 %.112, 2
  %.114 = and i64 %.113, 1152851136131088384
  %.115 = and i64 %.112, 70364449226751
  %.116 = or disjoint i64 %.114, %.115
  %.117 = lshr i64 %.116, 4
  %.118 = and i64 %.117, 72057593769492480
  %.119 = and i64 %.116, 268435455
  %.120 = or disjoint i64 %.118, %.119
  %.121 = lshr exact i64 %.100, 7
  %.122 = mul i64 %.121, 283686952306183
  %.123 = lshr i64 %.122, 56
  %.125 = add nuw i64 %arg.position, 1
  %.128 = add i64 %.125, %.123
  br label %common.ret

B528:                                             ; preds = %B148.endif, %B0
  br i1 %.32, label %B86.preheader.i, label %common.ret

B86.preheader.i:                                  ; preds = %B528
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
  %sunkaddr1.i = getelementptr i8, ptr %.69.i, i64 1
  %.70.1.i = load i8, ptr %sunkaddr1.i, align 1
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
  %sunkaddr4.i = getelementptr i8, ptr %.69.i, i64 2
  %.70.2.i = load i8, ptr %sunkaddr4.i, align 1
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
  %sunkaddr7.i = getelementptr i8, ptr %.69.i, i64 3
  %.70.3.i = load i8, ptr %sunkaddr7.i, align 1
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
  %sunkaddr10.i = getelementptr i8, ptr %.69.i, i64 4
  %.70.4.i = load i8, ptr %sunkaddr10.i, align 1
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
  %sunkaddr13.i = getelementptr i8, ptr %.69.i, i64 5
  %.70.5.i = load i8, ptr %sunkaddr13.i, align 1
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
  %sunkaddr16.i = getelementptr i8, ptr %.69.i, i64 6
  %.70.6.i = load i8, ptr %sunkaddr16.i, align 1
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
  %sunkaddr19.i = getelementptr i8, ptr %.69.i, i64 7
  %.70.7.i = load i8, ptr %sunkaddr19.i, align 1
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
  %sunkaddr22.i = getelementptr i8, ptr %.69.i, i64 8
  %.70.8.i = load i8, ptr %sunkaddr22.i, align 1
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
  %sunkaddr25.i = getelementptr i8, ptr %.69.i, i64 9
  %.70.9.i = load i8, ptr %sunkaddr25.i, align 1
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
  br i1 %.89.not, label %B528, label %B206
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #2

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define internal fastcc void @read_bytes(ptr noalias nonnull writeonly captures(none) %retptr, ptr readonly captures(none) %arg.data.4, i64 %arg.data.5.0, i64 range(i64 0, -1) %arg.position, i64 %arg.column, ptr writeonly captures(none) %arg.octets.4, ptr readonly captures(none) %arg.starts.4, ptr readonly captures(none) %arg.rooms.4, ptr captures(none) %arg.used.4, ptr writeonly captures(none) %arg.stack.4) unnamed_addr #0 {
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
  %.neg1.i = sub i64 %3, %5
  %6 = add i64 %.neg1.i, %.398
  %diff.check.i = icmp ult i64 %6, 32
  br i1 %diff.check.i, label %B300.preheader.i, label %vector.main.loop.iter.check.i

vector.main.loop.iter.check.i:                    ; preds = %vector.memcheck.i
  %min.iters.check6.i = icmp ult i64 %.94.sroa.0.0.ph, 64
  br i1 %min.iters.check6.i, label %vec.epilog.ph.i, label %vector.ph.i

vector.ph.i:                                      ; preds = %vector.main.loop.iter.check.i
  %n.vec.i = and i64 %.137, 9223372036854775776
  %scevgep16.i = getelementptr i8, ptr %2, i64 16
  %scevgep24.i = getelementptr i8, ptr %1, i64 16
  br label %vector.body.i

vector.body.i:                                    ; preds = %vector.body.i, %vector.ph.i
  %index.i = phi i64 [ 0, %vector.ph.i ], [ %index.next.i, %vector.body.i ]
  %scevgep28.i = getelementptr i8, ptr %scevgep24.i, i64 %index.i
  %scevgep29.i = getelementptr i8, ptr %scevgep28.i, i64 -16
  %wide.load.i = load <16 x i8>, ptr %scevgep29.i, align 1
  %wide.load7.i = load <16 x i8>, ptr %scevgep28.i, align 1
  %scevgep20.i = getelementptr i8, ptr %scevgep16.i, i64 %index.i
  %scevgep23.i = getelementptr i8, ptr %scevgep20.i, i64 -16
  store <16 x i8> %wide.load.i, ptr %scevgep23.i, align 1
  store <16 x i8> %wide.load7.i, ptr %scevgep20.i, align 1
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
  %scevgep15.i = getelementptr i8, ptr %scevgep26.i, i64 -2
  %.231.1.i = load i8, ptr %scevgep15.i, align 1
  %scevgep21.i = getelementptr i8, ptr %scevgep18.i, i64 -2
  store i8 %.231.1.i, ptr %scevgep21.i, align 1
  %scevgep13.i = getelementptr i8, ptr %scevgep26.i, i64 -1
  %.231.2.i = load i8, ptr %scevgep13.i, align 1
  %scevgep10.i = getelementptr i8, ptr %scevgep18.i, i64 -1
  store i8 %.231.2.i, ptr %scevgep10.i, align 1
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

