; Made by kernels/build.py with numba 0.68.1; not to be edited.
; kernel.py: 9de47d80a1772550995657aa46c9883116e42f4e75b06bb3e7f35e718d7cc346

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local noundef range(i32 -1, -2) i32 @lakemuster_any_between(ptr noalias writeonly captures(none) %retptr, ptr noalias readnone captures(none) %excinfo, ptr captures(none) %arg.values, i64 %arg.values_0, ptr readonly captures(none) %arg.lower, i64 %arg.lower_0, ptr readonly captures(none) %arg.upper, i64 %arg.upper_0, ptr captures(none) %arg.cells, i64 %arg.cells_0, ptr captures(none) %arg.starts, i64 %arg.starts_0, ptr writeonly captures(none) %arg.sure, i64 %arg.sure_0, ptr writeonly captures(none) %arg.ties, i64 %arg.ties_0) local_unnamed_addr #0 {
B0.endif.endif.endif.endif.endif.endif.endif:
  %.37.i.i = icmp ugt i64 %arg.values_0, 1
  br i1 %.37.i.i, label %B86.preheader.i.i, label %B0.endif.i

B86.preheader.i.i:                                ; preds = %B0.endif.endif.endif.endif.endif.endif.endif
  %0 = add i64 %arg.values_0, -1
  %1 = icmp eq i64 %arg.values_0, 2
  br i1 %1, label %B86.epil.preheader.i.i, label %B86.preheader.new.i.i

B86.preheader.new.i.i:                            ; preds = %B86.preheader.i.i
  %2 = and i64 %0, -2
  br label %B86.i.i

B86.i.i:                                          ; preds = %B180.1.i.i, %B86.preheader.new.i.i
  %place.2.0.i.i = phi i64 [ 1, %B86.preheader.new.i.i ], [ %.179.1.i.i, %B180.1.i.i ]
  %count.2.0.i.i = phi i64 [ 1, %B86.preheader.new.i.i ], [ %count.3.1.1.i.i, %B180.1.i.i ]
  %sunkaddr4.i = shl i64 %place.2.0.i.i, 2
  %sunkaddr5.i = getelementptr i8, ptr %arg.values, i64 %sunkaddr4.i
  %.75.i.i = load i32, ptr %sunkaddr5.i, align 4
  %3 = getelementptr i32, ptr %arg.values, i64 %count.2.0.i.i
  %.103.i.i = getelementptr i8, ptr %3, i64 -4
  %.104.i.i = load i32, ptr %.103.i.i, align 4
  %.105.not.i.i = icmp eq i32 %.75.i.i, %.104.i.i
  br i1 %.105.not.i.i, label %B180.i.i, label %B138.i.i

B138.i.i:                                         ; preds = %B86.i.i
  %sunkaddr7.i.i = shl i64 %count.2.0.i.i, 2
  %sunkaddr8.i.i = getelementptr i8, ptr %arg.values, i64 %sunkaddr7.i.i
  store i32 %.75.i.i, ptr %sunkaddr8.i.i, align 4
  %.164.i.i = add i64 %count.2.0.i.i, 1
  br label %B180.i.i

B180.i.i:                                         ; preds = %B138.i.i, %B86.i.i
  %count.3.1.i.i = phi i64 [ %.164.i.i, %B138.i.i ], [ %count.2.0.i.i, %B86.i.i ]
  %sunkaddr7.i = getelementptr i8, ptr %sunkaddr5.i, i64 4
  %.75.1.i.i = load i32, ptr %sunkaddr7.i, align 4
  %.105.not.1.i.i = icmp eq i32 %.75.1.i.i, %.75.i.i
  br i1 %.105.not.1.i.i, label %B180.1.i.i, label %B138.1.i.i

B138.1.i.i:                                       ; preds = %B180.i.i
  %sunkaddr12.i.i = shl i64 %count.3.1.i.i, 2
  %sunkaddr13.i.i = getelementptr i8, ptr %arg.values, i64 %sunkaddr12.i.i
  store i32 %.75.1.i.i, ptr %sunkaddr13.i.i, align 4
  %.164.1.i.i = add i64 %count.3.1.i.i, 1
  br label %B180.1.i.i

B180.1.i.i:                                       ; preds = %B138.1.i.i, %B180.i.i
  %count.3.1.1.i.i = phi i64 [ %.164.1.i.i, %B138.1.i.i ], [ %count.3.1.i.i, %B180.i.i ]
  %.179.1.i.i = add i64 %place.2.0.i.i, 2
  %4 = sub i64 %.179.1.i.i, %2
  %niter.ncmp.1.i.i = icmp eq i64 %4, 1
  br i1 %niter.ncmp.1.i.i, label %B264.loopexit.unr-lcssa.i.i, label %B86.i.i

B264.loopexit.unr-lcssa.i.i:                      ; preds = %B180.1.i.i
  %5 = and i64 %0, 1
  %lcmp.mod.not.i.i = icmp eq i64 %5, 0
  br i1 %lcmp.mod.not.i.i, label %B0.endif.i, label %B86.epil.preheader.i.i

B86.epil.preheader.i.i:                           ; preds = %B264.loopexit.unr-lcssa.i.i, %B86.preheader.i.i
  %place.2.0.epil.init.i.i = phi i64 [ 1, %B86.preheader.i.i ], [ %.179.1.i.i, %B264.loopexit.unr-lcssa.i.i ]
  %count.2.0.epil.init.i.i = phi i64 [ 1, %B86.preheader.i.i ], [ %count.3.1.1.i.i, %B264.loopexit.unr-lcssa.i.i ]
  %.74.epil.i.i = getelementptr i32, ptr %arg.values, i64 %place.2.0.epil.init.i.i
  %.75.epil.i.i = load i32, ptr %.74.epil.i.i, align 4
  %6 = getelementptr i32, ptr %arg.values, i64 %count.2.0.epil.init.i.i
  %.103.epil.i.i = getelementptr i8, ptr %6, i64 -4
  %.104.epil.i.i = load i32, ptr %.103.epil.i.i, align 4
  %.105.not.epil.i.i = icmp eq i32 %.75.epil.i.i, %.104.epil.i.i
  br i1 %.105.not.epil.i.i, label %B0.endif.i, label %B138.epil.i.i

B138.epil.i.i:                                    ; preds = %B86.epil.preheader.i.i
  %sunkaddr14.i.i = shl i64 %count.2.0.epil.init.i.i, 2
  %sunkaddr15.i.i = getelementptr i8, ptr %arg.values, i64 %sunkaddr14.i.i
  store i32 %.75.epil.i.i, ptr %sunkaddr15.i.i, align 4
  %.164.epil.i.i = add i64 %count.2.0.epil.init.i.i, 1
  br label %B0.endif.i

B268.i:                                           ; preds = %fill.exit.i, %B1390.i
  %row.2.0.i = phi i64 [ %.1093.i, %B1390.i ], [ 0, %fill.exit.i ]
  %tied.2.0.i = phi i64 [ %.1085.i, %B1390.i ], [ 0, %fill.exit.i ]
  %.293.i = getelementptr i32, ptr %arg.lower, i64 %row.2.0.i
  %.294.i = load i32, ptr %.293.i, align 4
  %.322.i = getelementptr i32, ptr %arg.upper, i64 %row.2.0.i
  %.323.i = load i32, ptr %.322.i, align 4
  %.347.i = icmp ule i32 %.294.i, %.242.i
  %.357.i = icmp ule i32 %.212.i, %.323.i
  %or.cond.i = select i1 %.347.i, i1 %.357.i, i1 false
  br i1 %or.cond.i, label %B408.endif.endif.i, label %B1390.i

B636.i:                                           ; preds = %B408.endif.endif.i
  %.483.i = shl i64 -2, %.439.i
  %.484.i = and i64 %.481.i, %.483.i
  %.511.i = getelementptr i64, ptr %arg.cells, i64 %.432.i
  %.512.i = load i64, ptr %.511.i, align 8
  %.514.i = lshr i64 9223372036854775807, %.442.i
  %.515.i = and i64 %.512.i, %.514.i
  %.516.i = or i64 %.515.i, %.484.i
  %7 = getelementptr i32, ptr %arg.starts, i64 %.431.i
  %.544.i = getelementptr i8, ptr %7, i64 4
  %.545.i = load i32, ptr %.544.i, align 4
  %.573.i = getelementptr i32, ptr %arg.starts, i64 %.432.i
  %.574.i = load i32, ptr %.573.i, align 4
  %.576464.i = xor i32 %.574.i, %.545.i
  %.576.i = zext i32 %.576464.i to i64
  %.577.i = or i64 %.516.i, %.576.i
  %.610.i = and i64 %.481.i, %.440.i
  %.643.i = and i64 %.512.i, %.443.i
  %8 = or i64 %.643.i, %.610.i
  %.646.i = or i64 %8, %.577.i
  br label %B952.i

B876.i:                                           ; preds = %B408.endif.endif.i
  %9 = and i64 %.481.i, %.440.i
  %.682.i = and i64 %9, %.443.i
  %.686.i = shl i64 -2, %.439.i
  %.691.i = lshr i64 9223372036854775807, %.442.i
  %10 = and i64 %.691.i, %.686.i
  %.694.i = and i64 %10, %.682.i
  br label %B952.i

B952.i:                                           ; preds = %B876.i, %B636.i
  %within.3.2.i = phi i64 [ %.577.i, %B636.i ], [ %.694.i, %B876.i ]
  %near.2.2.i = phi i64 [ %.646.i, %B636.i ], [ %.682.i, %B876.i ]
  %.699.not.i = icmp eq i64 %within.3.2.i, 0
  br i1 %.699.not.i, label %B990.i, label %B1390.i

B990.i:                                           ; preds = %B952.i
  %.730.not.i = icmp eq i64 %near.2.2.i, 0
  br i1 %.730.not.i, label %B1390.i, label %B1012.i

B1012.i:                                          ; preds = %B990.i
  %.767.i = getelementptr i32, ptr %arg.starts, i64 %.431.i
  %.768.i = load i32, ptr %.767.i, align 4
  %.771.i = zext i32 %.768.i to i64
  %11 = getelementptr i32, ptr %arg.starts, i64 %.432.i
  %.801.i = getelementptr i8, ptr %11, i64 4
  %.802.i = load i32, ptr %.801.i, align 4
  %.32.i.i = icmp ult i32 %.768.i, %.802.i
  br i1 %.32.i.i, label %B16.i.preheader.i, label %B1012.endif.i

B16.i.preheader.i:                                ; preds = %B1012.i
  %.803.i = zext i32 %.802.i to i64
  br label %B16.i.i

B16.i.i:                                          ; preds = %B16.i.i, %B16.i.preheader.i
  %place.2.0.i4.i = phi i64 [ %spec.select52.i.i, %B16.i.i ], [ %.771.i, %B16.i.preheader.i ]
  %end.2.0.i.i = phi i64 [ %spec.select.i.i, %B16.i.i ], [ %.803.i, %B16.i.preheader.i ]
  %.41.i.i = add nuw nsw i64 %end.2.0.i.i, %place.2.0.i4.i
  %.42.i.i = lshr i64 %.41.i.i, 1
  %.72.i.i = getelementptr i32, ptr %arg.values, i64 %.42.i.i
  %.73.i.i = load i32, ptr %.72.i.i, align 4
  %.76.i.i = icmp ugt i32 %.294.i, %.73.i.i
  %.87.i.i = add nuw nsw i64 %.42.i.i, 1
  %spec.select.i.i = select i1 %.76.i.i, i64 %end.2.0.i.i, i64 %.42.i.i
  %spec.select52.i.i = select i1 %.76.i.i, i64 %.87.i.i, i64 %place.2.0.i4.i
  %.118.i.i = icmp ult i64 %spec.select52.i.i, %spec.select.i.i
  br i1 %.118.i.i, label %B16.i.i, label %B1012.endif.i

B1152.i:                                          ; preds = %B1012.endif.i
  %.875.i = getelementptr i32, ptr %arg.values, i64 %place.4.1.i.i
  %.876.i = load i32, ptr %.875.i, align 4
  %.879.not.i = icmp ugt i32 %.876.i, %.323.i
  br i1 %.879.not.i, label %B1390.i, label %B1202.i

B1202.i:                                          ; preds = %B1152.i
  %.918.i = icmp eq i32 %.876.i, %.294.i
  %spec.select.i = zext i1 %.918.i to i64
  %.937.i = add nuw nsw i64 %place.4.1.i.i, %spec.select.i
  %.947.i = icmp eq i64 %.937.i, %count.4.1.i.i
  br i1 %.947.i, label %B1390.i, label %B1312.i

B1312.i:                                          ; preds = %B1202.i
  %.975.i = getelementptr i32, ptr %arg.values, i64 %.937.i
  %.976.i = load i32, ptr %.975.i, align 4
  %.981.not.i = icmp uge i32 %.976.i, %.323.i
  %spec.select463.i = zext i1 %.981.not.i to i64
  br label %B1390.i

B1390.i:                                          ; preds = %B1012.endif.i, %B1312.i, %B1202.i, %B1152.i, %B990.i, %B952.i, %B268.i
  %tie.2.1.i = phi i64 [ 0, %B268.i ], [ 0, %B952.i ], [ 0, %B1152.i ], [ 0, %B1012.endif.i ], [ 0, %B990.i ], [ 1, %B1202.i ], [ %spec.select463.i, %B1312.i ]
  %none.3.1.i = phi i8 [ 1, %B268.i ], [ 0, %B952.i ], [ 1, %B1152.i ], [ 1, %B1012.endif.i ], [ 1, %B990.i ], [ 0, %B1202.i ], [ 0, %B1312.i ]
  %.1048.i = getelementptr i8, ptr %arg.sure, i64 %row.2.0.i
  store i8 %none.3.1.i, ptr %.1048.i, align 1
  %.1080.i = getelementptr i8, ptr %arg.ties, i64 %row.2.0.i
  %.1081.i = trunc nuw nsw i64 %tie.2.1.i to i8
  store i8 %.1081.i, ptr %.1080.i, align 1
  %.1085.i = add i64 %tie.2.1.i, %tied.2.0.i
  %.1093.i = add nuw i64 %row.2.0.i, 1
  %exitcond.not.i = icmp eq i64 %.1093.i, %arg.lower_0
  br i1 %exitcond.not.i, label %any_between.exit, label %B268.i

B0.endif.i:                                       ; preds = %B138.epil.i.i, %B86.epil.preheader.i.i, %B264.loopexit.unr-lcssa.i.i, %B0.endif.endif.endif.endif.endif.endif.endif
  %count.4.1.i.i = phi i64 [ 1, %B0.endif.endif.endif.endif.endif.endif.endif ], [ %count.3.1.1.i.i, %B264.loopexit.unr-lcssa.i.i ], [ %.164.epil.i.i, %B138.epil.i.i ], [ %count.2.0.epil.init.i.i, %B86.epil.preheader.i.i ]
  %.85.i.i = load i32, ptr %arg.values, align 4
  %.86.i.i = zext i32 %.85.i.i to i64
  %12 = getelementptr i32, ptr %arg.values, i64 %count.4.1.i.i
  %.126.i.i = getelementptr i8, ptr %12, i64 -4
  %.127.i.i = load i32, ptr %.126.i.i, align 4
  %.128.i.i = zext i32 %.127.i.i to i64
  %.130.i.i = sub nsw i64 %.128.i.i, %.86.i.i
  %.132.i.i = lshr i64 %.130.i.i, 6
  %.134.not.i.i = icmp ult i64 %.132.i.i, %arg.cells_0
  br i1 %.134.not.i.i, label %B334.i.i, label %B220.i.i

B220.i.i:                                         ; preds = %B0.endif.i, %B220.i.i
  %lsr.iv5.i.i = phi i64 [ %lsr.iv.next6.i.i, %B220.i.i ], [ 0, %B0.endif.i ]
  %13 = add i64 %lsr.iv5.i.i, 7
  %.175.i.i = lshr i64 %.130.i.i, %13
  %.177.not.i.i = icmp ult i64 %.175.i.i, %arg.cells_0
  %lsr.iv.next6.i.i = add i64 %lsr.iv5.i.i, 1
  br i1 %.177.not.i.i, label %B334.i.i, label %B220.i.i

B334.i.i:                                         ; preds = %B220.i.i, %B0.endif.i
  %shift.3.1.i.i = phi i64 [ 0, %B0.endif.i ], [ %lsr.iv.next6.i.i, %B220.i.i ]
  %14 = shl nuw i64 %arg.cells_0, 3
  tail call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(1) %arg.cells, i8 0, i64 %14, i1 false)
  %.234.not.i.i = icmp eq i64 %count.4.1.i.i, 0
  br i1 %.234.not.i.i, label %B706.preheader.i.i, label %B442.preheader.i.i

B442.preheader.i.i:                               ; preds = %B334.i.i
  %scevgep25.i.i = getelementptr i8, ptr %arg.starts, i64 16
  br label %B442.i.i

B442.i.i:                                         ; preds = %B662.i.i, %B442.preheader.i.i
  %place.2.0.i1.i = phi i64 [ %.405.i.i, %B662.i.i ], [ 0, %B442.preheader.i.i ]
  %word.1.3.0.i.i = phi i64 [ %word.1.4.2.i.i, %B662.i.i ], [ 0, %B442.preheader.i.i ]
  %.275.i.i = getelementptr i32, ptr %arg.values, i64 %place.2.0.i1.i
  %.276.i.i = load i32, ptr %.275.i.i, align 4
  %.277.i.i = zext i32 %.276.i.i to i64
  %.279.i.i = sub nsw i64 %.277.i.i, %.86.i.i
  %.281.i.i = lshr i64 %.279.i.i, %shift.3.1.i.i
  %.286.i.i = lshr i64 %.281.i.i, 6
  %.312.i.i = getelementptr i64, ptr %arg.cells, i64 %.286.i.i
  %.313.i.i = load i64, ptr %.312.i.i, align 8
  %.315.i.i = and i64 %.281.i.i, 63
  %.316.i.i = shl nuw i64 1, %.315.i.i
  %.317.i.i = or i64 %.316.i.i, %.313.i.i
  store i64 %.317.i.i, ptr %.312.i.i, align 8
  %.348.not.i.i = icmp ugt i64 %word.1.3.0.i.i, %.286.i.i
  br i1 %.348.not.i.i, label %B662.i.i, label %B604.preheader.i.i

B604.preheader.i.i:                               ; preds = %B442.i.i
  %.380.i.i = trunc i64 %place.2.0.i1.i to i32
  %15 = add nuw nsw i64 %.286.i.i, 1
  %16 = sub nuw nsw i64 %15, %word.1.3.0.i.i
  %min.iters.check.i.i = icmp samesign ult i64 %16, 8
  br i1 %min.iters.check.i.i, label %B604.i.i.preheader, label %vector.ph.i.i

vector.ph.i.i:                                    ; preds = %B604.preheader.i.i
  %n.vec.i.i = and i64 %16, 576460752303423480
  %broadcast.splatinsert.i.i = insertelement <4 x i32> poison, i32 %.380.i.i, i64 0
  %broadcast.splat.i.i = shufflevector <4 x i32> %broadcast.splatinsert.i.i, <4 x i32> poison, <4 x i32> zeroinitializer
  %17 = shl nuw nsw i64 %word.1.3.0.i.i, 2
  %scevgep26.i.i = getelementptr i8, ptr %scevgep25.i.i, i64 %17
  br label %vector.body.i.i

vector.body.i.i:                                  ; preds = %vector.body.i.i, %vector.ph.i.i
  %index.i.i = phi i64 [ 0, %vector.ph.i.i ], [ %index.next.i.i, %vector.body.i.i ]
  %18 = shl i64 %index.i.i, 2
  %scevgep28.i.i = getelementptr i8, ptr %scevgep26.i.i, i64 %18
  %scevgep29.i.i = getelementptr i8, ptr %scevgep28.i.i, i64 -16
  store <4 x i32> %broadcast.splat.i.i, ptr %scevgep29.i.i, align 4
  store <4 x i32> %broadcast.splat.i.i, ptr %scevgep28.i.i, align 4
  %index.next.i.i = add nuw i64 %index.i.i, 8
  %19 = icmp eq i64 %n.vec.i.i, %index.next.i.i
  br i1 %19, label %middle.block.i.i, label %vector.body.i.i

middle.block.i.i:                                 ; preds = %vector.body.i.i
  %20 = add nuw nsw i64 %n.vec.i.i, %word.1.3.0.i.i
  %cmp.n.i.i = icmp eq i64 %16, %n.vec.i.i
  br i1 %cmp.n.i.i, label %B662.i.i, label %B604.i.i.preheader

B604.i.i.preheader:                               ; preds = %middle.block.i.i, %B604.preheader.i.i
  %word.1.5.1.i.i.ph = phi i64 [ %20, %middle.block.i.i ], [ %word.1.3.0.i.i, %B604.preheader.i.i ]
  br label %B604.i.i

B604.i.i:                                         ; preds = %B604.i.i.preheader, %B604.i.i
  %word.1.5.1.i.i = phi i64 [ %.383.i.i, %B604.i.i ], [ %word.1.5.1.i.i.ph, %B604.i.i.preheader ]
  %21 = shl i64 %word.1.5.1.i.i, 2
  %scevgep30.i.i = getelementptr i8, ptr %arg.starts, i64 %21
  store i32 %.380.i.i, ptr %scevgep30.i.i, align 4
  %.383.i.i = add i64 %word.1.5.1.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %.286.i.i, %word.1.5.1.i.i
  br i1 %exitcond.not.i.i, label %B662.i.i, label %B604.i.i

B662.i.i:                                         ; preds = %B604.i.i, %middle.block.i.i, %B442.i.i
  %word.1.4.2.i.i = phi i64 [ %word.1.3.0.i.i, %B442.i.i ], [ %15, %middle.block.i.i ], [ %15, %B604.i.i ]
  %.405.i.i = add nuw i64 %place.2.0.i1.i, 1
  %exitcond210.not.i.i = icmp eq i64 %.405.i.i, %count.4.1.i.i
  br i1 %exitcond210.not.i.i, label %B694.i.i, label %B442.i.i

B694.i.i:                                         ; preds = %B662.i.i
  %.438.not.i.i = icmp ugt i64 %word.1.4.2.i.i, %arg.cells_0
  br i1 %.438.not.i.i, label %fill.exit.i, label %B706.preheader.i.i

B706.preheader.i.i:                               ; preds = %B694.i.i, %B334.i.i
  %word.1.6.13.i.i = phi i64 [ %word.1.4.2.i.i, %B694.i.i ], [ 0, %B334.i.i ]
  %.470.i.i = trunc i64 %count.4.1.i.i to i32
  %22 = zext i64 %arg.cells_0 to i128
  %23 = add nuw nsw i128 %22, 1
  %24 = add nuw nsw i64 %word.1.6.13.i.i, 1
  %25 = zext nneg i64 %24 to i128
  %umax4.i.i = tail call i128 @llvm.umax.i128(i128 %23, i128 %25)
  %26 = trunc i128 %umax4.i.i to i64
  %27 = sub i64 %26, %word.1.6.13.i.i
  %min.iters.check6.i.i = icmp ult i64 %27, 48
  br i1 %min.iters.check6.i.i, label %B706.i.i.preheader, label %vector.scevcheck.i.i

vector.scevcheck.i.i:                             ; preds = %B706.preheader.i.i
  %28 = tail call i128 @llvm.usub.sat.i128(i128 %23, i128 %25)
  %29 = trunc nuw i128 %28 to i64
  %30 = sub nuw nsw i64 -2, %word.1.6.13.i.i
  %31 = icmp ult i64 %30, %29
  br i1 %31, label %B706.i.i.preheader, label %vector.ph7.i.i

vector.ph7.i.i:                                   ; preds = %vector.scevcheck.i.i
  %n.vec9.i.i = and i64 %27, -8
  %broadcast.splatinsert10.i.i = insertelement <4 x i32> poison, i32 %.470.i.i, i64 0
  %broadcast.splat11.i.i = shufflevector <4 x i32> %broadcast.splatinsert10.i.i, <4 x i32> poison, <4 x i32> zeroinitializer
  %32 = shl nuw nsw i64 %word.1.6.13.i.i, 2
  %33 = getelementptr i8, ptr %arg.starts, i64 %32
  %scevgep21.i.i = getelementptr i8, ptr %33, i64 16
  br label %vector.body12.i.i

vector.body12.i.i:                                ; preds = %vector.body12.i.i, %vector.ph7.i.i
  %index13.i.i = phi i64 [ 0, %vector.ph7.i.i ], [ %index.next15.i.i, %vector.body12.i.i ]
  %34 = shl i64 %index13.i.i, 2
  %scevgep23.i.i = getelementptr i8, ptr %scevgep21.i.i, i64 %34
  %scevgep24.i.i = getelementptr i8, ptr %scevgep23.i.i, i64 -16
  store <4 x i32> %broadcast.splat11.i.i, ptr %scevgep24.i.i, align 4
  store <4 x i32> %broadcast.splat11.i.i, ptr %scevgep23.i.i, align 4
  %index.next15.i.i = add nuw i64 %index13.i.i, 8
  %35 = icmp eq i64 %n.vec9.i.i, %index.next15.i.i
  br i1 %35, label %middle.block16.i.i, label %vector.body12.i.i

middle.block16.i.i:                               ; preds = %vector.body12.i.i
  %36 = add i64 %n.vec9.i.i, %word.1.6.13.i.i
  %cmp.n17.i.i = icmp eq i64 %27, %n.vec9.i.i
  br i1 %cmp.n17.i.i, label %fill.exit.i, label %B706.i.i.preheader

B706.i.i.preheader:                               ; preds = %middle.block16.i.i, %vector.scevcheck.i.i, %B706.preheader.i.i
  %word.1.7.0.i.i.ph = phi i64 [ %36, %middle.block16.i.i ], [ %word.1.6.13.i.i, %B706.preheader.i.i ], [ %word.1.6.13.i.i, %vector.scevcheck.i.i ]
  br label %B706.i.i

B706.i.i:                                         ; preds = %B706.i.i.preheader, %B706.i.i
  %word.1.7.0.i.i = phi i64 [ %.473.i.i, %B706.i.i ], [ %word.1.7.0.i.i.ph, %B706.i.i.preheader ]
  %37 = shl i64 %word.1.7.0.i.i, 2
  %scevgep.i.i = getelementptr i8, ptr %arg.starts, i64 %37
  store i32 %.470.i.i, ptr %scevgep.i.i, align 4
  %.473.i.i = add i64 %word.1.7.0.i.i, 1
  %.477.not.i.i = icmp ugt i64 %.473.i.i, %arg.cells_0
  br i1 %.477.not.i.i, label %fill.exit.i, label %B706.i.i

fill.exit.i: ; preds = %B706.i.i, %middle.block16.i.i, %B694.i.i
  %.212.i = load i32, ptr %arg.values, align 4
  %.213.i = zext i32 %.212.i to i64
  %.242.i = load i32, ptr %.126.i.i, align 4
  %.260.not.i = icmp eq i64 %arg.lower_0, 0
  br i1 %.260.not.i, label %any_between.exit, label %B268.i

B408.endif.endif.i:                               ; preds = %B268.i
  %.295.i = zext i32 %.294.i to i64
  %38 = tail call i32 @llvm.umin.i32(i32 %.242.i, i32 %.323.i)
  %.13.i5.i = zext i32 %38 to i64
  %.394.i = tail call i64 @llvm.usub.sat.i64(i64 %.295.i, i64 %.213.i)
  %.396.i = lshr i64 %.394.i, %shift.3.1.i.i
  %.428.i = sub nsw i64 %.13.i5.i, %.213.i
  %.430.i = lshr i64 %.428.i, %shift.3.1.i.i
  %.431.i = lshr i64 %.396.i, 6
  %.432.i = lshr i64 %.430.i, 6
  %.439.i = and i64 %.396.i, 63
  %.440.i = shl nsw i64 -1, %.439.i
  %.441.i = and i64 %.430.i, 63
  %.442.i = xor i64 %.441.i, 63
  %.443.i = lshr i64 -1, %.442.i
  %.452.i = icmp samesign ult i64 %.431.i, %.432.i
  %.480.i = getelementptr i64, ptr %arg.cells, i64 %.431.i
  %.481.i = load i64, ptr %.480.i, align 8
  br i1 %.452.i, label %B636.i, label %B876.i

B1012.endif.i:                                    ; preds = %B16.i.i, %B1012.i
  %place.4.1.i.i = phi i64 [ %.771.i, %B1012.i ], [ %spec.select52.i.i, %B16.i.i ]
  %.837.i = icmp ult i64 %place.4.1.i.i, %count.4.1.i.i
  br i1 %.837.i, label %B1152.i, label %B1390.i

any_between.exit: ; preds = %B1390.i, %fill.exit.i
  %tied.3.1.i = phi i64 [ 0, %fill.exit.i ], [ %.1085.i, %B1390.i ]
  store i64 %tied.3.1.i, ptr %retptr, align 8
  ret i32 0
}

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.usub.sat.i64(i64, i64) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i128 @llvm.umax.i128(i128, i128) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i128 @llvm.usub.sat.i128(i128, i128) #2

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #1 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

