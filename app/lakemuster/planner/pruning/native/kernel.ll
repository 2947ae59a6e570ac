; Made by scripts/kernels.py with numba 0.68.1 on Python 3.11; not to be edited.
; kernel.py: df6e801e46a116039fac4111e8dc1744da5fe9b59765bccd65bfc3b785151a81

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local noundef range(i32 -1, -2) i32 @lakemuster_any_between(ptr noalias writeonly captures(none) %retptr, ptr noalias readnone captures(none) %excinfo, ptr readonly captures(none) %arg.values, i64 %arg.values_0, ptr readonly captures(none) %arg.starts, i64 %arg.starts_0, i64 %arg.shift, ptr readonly captures(none) %arg.lower, i64 %arg.lower_0, ptr readonly captures(none) %arg.upper, i64 %arg.upper_0, ptr writeonly captures(none) %arg.sure, i64 %arg.sure_0, ptr writeonly captures(none) %arg.ties, i64 %arg.ties_0) local_unnamed_addr #0 {
B0.endif.endif.endif.endif.endif.endif:
  %.111.i = add i64 %arg.starts_0, -1
  %.138.i = load i32, ptr %arg.values, align 4
  %.139.i = zext i32 %.138.i to i64
  %.175.i = getelementptr i32, ptr %arg.starts, i64 %.111.i
  %.176.i = load i32, ptr %.175.i, align 4
  %.177.i = zext i32 %.176.i to i64
  %.203.i = getelementptr i32, ptr %arg.values, i64 %.177.i
  %.204.i = load i32, ptr %.203.i, align 4
  %.219.not.i = icmp eq i64 %arg.lower_0, 0
  br i1 %.219.not.i, label %common.ret, label %B296.endif.endif.i

common.ret:                                       ; preds = %B1014.i, %B0.endif.endif.endif.endif.endif.endif
  %tied.3.1.i = phi i64 [ 0, %B0.endif.endif.endif.endif.endif.endif ], [ %.821.i, %B1014.i ]
  store i64 %tied.3.1.i, ptr %retptr, align 8
  ret i32 0

B712.i:                                           ; preds = %B296.endif.endif.i
  %sunkaddr.i = shl nuw nsw i64 %.13.i6.i, 2
  %sunkaddr8.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr.i
  %sunkaddr9.i = getelementptr i8, ptr %sunkaddr8.i, i64 4
  %.553.i = load i32, ptr %sunkaddr9.i, align 4
  %.554.i = zext i32 %.553.i to i64
  %.32.i.i = icmp samesign ult i64 %.478.i, %.554.i
  br i1 %.32.i.i, label %B16.i.i, label %B802.i

B16.i.i:                                          ; preds = %B712.i, %B16.i.i
  %place.2.0.i.i = phi i64 [ %spec.select52.i.i, %B16.i.i ], [ %.478.i, %B712.i ]
  %end.2.0.i.i = phi i64 [ %spec.select.i.i, %B16.i.i ], [ %.554.i, %B712.i ]
  %.41.i.i = add nuw nsw i64 %end.2.0.i.i, %place.2.0.i.i
  %.42.i.i = lshr i64 %.41.i.i, 1
  %.72.i.i = getelementptr i32, ptr %arg.values, i64 %.42.i.i
  %.73.i.i = load i32, ptr %.72.i.i, align 4
  %.76.i.i = icmp ugt i32 %.253.i, %.73.i.i
  %.87.i.i = add nuw nsw i64 %.42.i.i, 1
  %spec.select.i.i = select i1 %.76.i.i, i64 %end.2.0.i.i, i64 %.42.i.i
  %spec.select52.i.i = select i1 %.76.i.i, i64 %.87.i.i, i64 %place.2.0.i.i
  %.118.i.i = icmp ult i64 %spec.select52.i.i, %spec.select.i.i
  br i1 %.118.i.i, label %B16.i.i, label %B802.loopexit.i

B802.loopexit.i:                                  ; preds = %B16.i.i
  %.619.phi.trans.insert.i = getelementptr i32, ptr %arg.values, i64 %spec.select52.i.i
  %.620.pre.i = load i32, ptr %.619.phi.trans.insert.i, align 4
  br label %B802.i

B802.i:                                           ; preds = %B296.endif.endif.i, %B802.loopexit.i, %B712.i
  %.620.i = phi i32 [ %.517.i, %B296.endif.endif.i ], [ %.517.i, %B712.i ], [ %.620.pre.i, %B802.loopexit.i ]
  %place.4.1.i = phi i64 [ %.478.i, %B296.endif.endif.i ], [ %.478.i, %B712.i ], [ %spec.select52.i.i, %B802.loopexit.i ]
  %.641.i = icmp ule i32 %.620.i, %.282.i
  %.653.i = icmp ne i32 %.620.i, %.204.i
  %or.cond.i = select i1 %.641.i, i1 %.653.i, i1 false
  br i1 %or.cond.i, label %B896.i, label %B1014.i

B896.i:                                           ; preds = %B802.i
  %.664.i = icmp eq i32 %.620.i, %.282.i
  br i1 %.664.i, label %B1000.i, label %B922.i

B922.i:                                           ; preds = %B896.i
  %.674.i = icmp eq i32 %.620.i, %.253.i
  br i1 %.674.i, label %B934.i, label %B1014.i

B934.i:                                           ; preds = %B922.i
  %sunkaddr10.i = shl nuw nsw i64 %place.4.1.i, 2
  %sunkaddr11.i = getelementptr i8, ptr %arg.values, i64 %sunkaddr10.i
  %sunkaddr12.i = getelementptr i8, ptr %sunkaddr11.i, i64 4
  %.718.i = load i32, ptr %sunkaddr12.i, align 4
  %.721.not.i = icmp ult i32 %.718.i, %.282.i
  br i1 %.721.not.i, label %B1014.i, label %B1000.i

B1000.i:                                          ; preds = %B934.i, %B896.i
  br label %B1014.i

B1014.i:                                          ; preds = %B1000.i, %B934.i, %B922.i, %B802.i
  %tie.2.1.i = phi i64 [ 1, %B1000.i ], [ 0, %B934.i ], [ 0, %B922.i ], [ 0, %B802.i ]
  %none.2.1.i = phi i8 [ 0, %B1000.i ], [ 0, %B934.i ], [ 0, %B922.i ], [ 1, %B802.i ]
  %.784.i = getelementptr i8, ptr %arg.sure, i64 %row.2.0.i
  store i8 %none.2.1.i, ptr %.784.i, align 1
  %.816.i = getelementptr i8, ptr %arg.ties, i64 %row.2.0.i
  %.817.i = trunc nuw nsw i64 %tie.2.1.i to i8
  store i8 %.817.i, ptr %.816.i, align 1
  %.821.i = add i64 %tie.2.1.i, %tied.2.0.i
  %.829.i = add nuw i64 %row.2.0.i, 1
  %exitcond.not.i = icmp eq i64 %.829.i, %arg.lower_0
  br i1 %exitcond.not.i, label %common.ret, label %B296.endif.endif.i

B296.endif.endif.i:                               ; preds = %B0.endif.endif.endif.endif.endif.endif, %B1014.i
  %row.2.0.i = phi i64 [ %.829.i, %B1014.i ], [ 0, %B0.endif.endif.endif.endif.endif.endif ]
  %tied.2.0.i = phi i64 [ %.821.i, %B1014.i ], [ 0, %B0.endif.endif.endif.endif.endif.endif ]
  %.252.i = getelementptr i32, ptr %arg.lower, i64 %row.2.0.i
  %.253.i = load i32, ptr %.252.i, align 4
  %.254.i = zext i32 %.253.i to i64
  %.281.i = getelementptr i32, ptr %arg.upper, i64 %row.2.0.i
  %.282.i = load i32, ptr %.281.i, align 4
  %.323.i = tail call i64 @llvm.usub.sat.i64(i64 %.254.i, i64 %.139.i)
  %.325.i = lshr i64 %.323.i, %arg.shift
  %.13.i6.i = tail call i64 @llvm.umin.i64(i64 %.111.i, i64 %.325.i)
  %.384.i = getelementptr i32, ptr %arg.starts, i64 %.13.i6.i
  %.385.i = load i32, ptr %.384.i, align 4
  %.386.i = zext i32 %.385.i to i64
  %.412.i = getelementptr i32, ptr %arg.values, i64 %.386.i
  %.413.i = load i32, ptr %.412.i, align 4
  %.416.i = icmp ult i32 %.413.i, %.253.i
  %"$phi572.1.2.1.i" = zext i1 %.416.i to i64
  %.430.i = add nuw nsw i64 %"$phi572.1.2.1.i", %.386.i
  %.460.i = getelementptr i32, ptr %arg.values, i64 %.430.i
  %.461.i = load i32, ptr %.460.i, align 4
  %.464.i = icmp ult i32 %.461.i, %.253.i
  %"$phi656.1.2.1.i" = zext i1 %.464.i to i64
  %.478.i = add nuw nsw i64 %.430.i, %"$phi656.1.2.1.i"
  %.516.i = getelementptr i32, ptr %arg.values, i64 %.478.i
  %.517.i = load i32, ptr %.516.i, align 4
  %.520.i = icmp ult i32 %.517.i, %.253.i
  br i1 %.520.i, label %B712.i, label %B802.i
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.usub.sat.i64(i64, i64) #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.umin.i64(i64, i64) #1

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #1 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

