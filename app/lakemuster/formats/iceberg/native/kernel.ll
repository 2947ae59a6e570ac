; Made by kernels/build.py with numba 0.68.1; not to be edited.
; kernel.py: 7b21d655479b83f19020c233a29109eb57c4d46a0b7ec356f0f3f574c5e80de6

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local noundef range(i32 -1, -2) i32 @lakemuster_read_bounds(ptr noalias writeonly captures(none) %retptr, ptr noalias readnone captures(none) %excinfo, ptr readonly captures(none) %arg.data, i64 %arg.data_0, ptr readonly captures(none) %arg.offsets, i64 %arg.offsets_0, ptr readonly captures(none) %arg.items, i64 %arg.items_0, i64 %arg.items_1, ptr readonly captures(none) %arg.forms, i64 %arg.forms_0, ptr writeonly captures(none) %arg.ints, i64 %arg.ints_0, ptr writeonly captures(none) %arg.longs, i64 %arg.longs_0, ptr writeonly captures(none) %arg.regular, i64 %arg.regular_0, i64 %arg.regular_1) local_unnamed_addr #0 {
B0.endif.endif.endif.endif.endif.endif.endif:
  %.160.not.i = icmp eq i64 %arg.items_1, 0
  %.169.not.i = icmp eq i64 %arg.items_0, 0
  %or.cond619.i = select i1 %.160.not.i, i1 true, i1 %.169.not.i
  br i1 %or.cond619.i, label %read_bounds.exit, label %B136.preheader.i

B136.preheader.i:                                 ; preds = %B0.endif.endif.endif.endif.endif.endif.endif
  %scevgep31.i = getelementptr i8, ptr %arg.data, i64 3
  br label %B136.i

B136.i:                                           ; preds = %B1202.loopexit.i, %B136.preheader.i
  %row.2.0.i = phi i64 [ %.1250.i, %B1202.loopexit.i ], [ 0, %B136.preheader.i ]
  %invariant.gep.i = getelementptr i64, ptr %arg.items, i64 %row.2.0.i
  %invariant.gep584.i = getelementptr i64, ptr %arg.longs, i64 %row.2.0.i
  %invariant.gep588.i = getelementptr i32, ptr %arg.ints, i64 %row.2.0.i
  %invariant.gep592.i = getelementptr i8, ptr %arg.regular, i64 %row.2.0.i
  %invariant.gep615.idx.i = shl i64 %row.2.0.i, 4
  %invariant.gep615.i = getelementptr i8, ptr %arg.longs, i64 %invariant.gep615.idx.i
  br label %B164.i

B164.i:                                           ; preds = %B1156.i, %B136.i
  %column.2.1.i = phi i64 [ %.1236.i, %B1156.i ], [ 0, %B136.i ]
  %.219.idx.i = mul i64 %column.2.1.i, 48
  %.219.i = getelementptr i8, ptr %arg.forms, i64 %.219.idx.i
  %.220.i = load i64, ptr %.219.i, align 8
  %.268.i = getelementptr i8, ptr %.219.i, i64 8
  %.269.i = load i64, ptr %.268.i, align 8
  %.314.i = mul i64 %column.2.1.i, %arg.items_1
  %gep.i = getelementptr i64, ptr %invariant.gep.i, i64 %.314.i
  %.319.i = load i64, ptr %gep.i, align 8
  %.338.i = add i64 %.319.i, 1
  %.349.i = icmp ult i64 %.338.i, %arg.offsets_0
  br i1 %.349.i, label %B442.i, label %B528.i

B442.i:                                           ; preds = %B164.i
  %.377.i = getelementptr i32, ptr %arg.offsets, i64 %.319.i
  %.378.i = load i32, ptr %.377.i, align 4
  %.379.i = zext i32 %.378.i to i64
  %sunkaddr.i = shl i64 %.319.i, 2
  %sunkaddr40.i = getelementptr i8, ptr %arg.offsets, i64 %sunkaddr.i
  %sunkaddr41.i = getelementptr i8, ptr %sunkaddr40.i, i64 4
  %.410.i = load i32, ptr %sunkaddr41.i, align 4
  %.411.i = zext i32 %.410.i to i64
  %.421.i = sub nsw i64 %.411.i, %.379.i
  %.427.not.i = icmp ugt i32 %.378.i, %.410.i
  %.443.not.i = icmp ult i64 %arg.data_0, %.411.i
  %or.cond620.i = select i1 %.427.not.i, i1 true, i1 %.443.not.i
  br i1 %or.cond620.i, label %B612.i, label %B528.i

B528.i:                                           ; preds = %B442.i, %B164.i
  %begin.2.3502608.i = phi i64 [ %.379.i, %B442.i ], [ 0, %B164.i ]
  %.421504607.i = phi i64 [ %.421.i, %B442.i ], [ 0, %B164.i ]
  %.451.i = icmp eq i64 %.421504607.i, %.220.i
  br i1 %.451.i, label %B612.i, label %B540.i

B540.i:                                           ; preds = %B528.i
  %.456.i = icmp eq i64 %.220.i, 16
  br i1 %.456.i, label %B562.i, label %B612.i

B562.i:                                           ; preds = %B540.i
  %0 = add nsw i64 %.421504607.i, -1
  %or.cond.i = icmp ult i64 %0, 15
  br i1 %or.cond.i, label %B808.i, label %B1154.critedge577.i

B612.i:                                           ; preds = %B540.i, %B528.i, %B442.i
  %.421505.i = phi i64 [ %.220.i, %B528.i ], [ %.421504607.i, %B540.i ], [ %.421.i, %B442.i ]
  %begin.2.3501.i = phi i64 [ %begin.2.3502608.i, %B528.i ], [ %begin.2.3502608.i, %B540.i ], [ %.379.i, %B442.i ]
  %"$phi612.0.6.3.i" = phi i1 [ true, %B528.i ], [ false, %B540.i ], [ false, %B442.i ]
  switch i64 %.220.i, label %B786.i [
    i64 4, label %B636.i
    i64 8, label %B722.i
  ]

B636.i:                                           ; preds = %B612.i
  br i1 %"$phi612.0.6.3.i", label %B684.i, label %B1154.critedge.i

B684.i:                                           ; preds = %B636.i
  %.41.i.i = getelementptr i8, ptr %arg.data, i64 %begin.2.3501.i
  %.42.i.i = load i32, ptr %.41.i.i, align 1
  %gep591.i = getelementptr i32, ptr %invariant.gep588.i, i64 %.269.i
  store i32 %.42.i.i, ptr %gep591.i, align 4
  br label %B1156.i

B722.i:                                           ; preds = %B612.i
  br i1 %"$phi612.0.6.3.i", label %B1146.i, label %B1154.critedge575.i

B786.i:                                           ; preds = %B612.i
  br i1 %"$phi612.0.6.3.i", label %B808.i, label %B1154.critedge577.i

B808.i:                                           ; preds = %B786.i, %B562.i
  %begin.2.3501513528531.i = phi i64 [ %begin.2.3502608.i, %B562.i ], [ %begin.2.3501.i, %B786.i ]
  %.421505512529530.i = phi i64 [ %.421504607.i, %B562.i ], [ %.421505.i, %B786.i ]
  %.50.i.i = getelementptr i8, ptr %arg.data, i64 %begin.2.3501513528531.i
  %.51.i.i = load i8, ptr %.50.i.i, align 1
  %.51.lobit.i.i = ashr i8 %.51.i.i, 7
  %spec.select.i.i = sext i8 %.51.lobit.i.i to i64
  %.85.i.i = add nsw i64 %.421505512529530.i, %begin.2.3501513528531.i
  %.93.i.i = icmp ult i64 %begin.2.3501513528531.i, %.85.i.i
  br i1 %.93.i.i, label %B106.preheader.i.i, label %B808.endif.i

B106.preheader.i.i:                               ; preds = %B808.i
  %1 = add nsw i64 %.421505512529530.i, -1
  %xtraiter.i.i = and i64 %.421505512529530.i, 3
  %lcmp.mod.not.i.i = icmp eq i64 %xtraiter.i.i, 0
  br i1 %lcmp.mod.not.i.i, label %B106.prol.loopexit.i.i, label %B106.prol.i.i

B106.prol.i.i:                                    ; preds = %B106.preheader.i.i, %B106.prol.i.i
  %lsr.iv.i = phi i64 [ %lsr.iv.next.i, %B106.prol.i.i ], [ 0, %B106.preheader.i.i ]
  %low.2.0.prol.i.i = phi i64 [ %.137.prol.i.i, %B106.prol.i.i ], [ %spec.select.i.i, %B106.preheader.i.i ]
  %high.2.0.prol.i.i = phi i64 [ %.101.prol.i.i, %B106.prol.i.i ], [ %spec.select.i.i, %B106.preheader.i.i ]
  %.101.prol.i.i = tail call i64 @llvm.fshl.i64(i64 %high.2.0.prol.i.i, i64 %low.2.0.prol.i.i, i64 8)
  %.107.prol.i.i = shl i64 %low.2.0.prol.i.i, 8
  %scevgep28.i = getelementptr i8, ptr %.50.i.i, i64 %lsr.iv.i
  %.135.prol.i.i = load i8, ptr %scevgep28.i, align 1
  %.136.prol.i.i = zext i8 %.135.prol.i.i to i64
  %.137.prol.i.i = or disjoint i64 %.107.prol.i.i, %.136.prol.i.i
  %lsr.iv.next.i = add nuw nsw i64 %lsr.iv.i, 1
  %prol.iter.cmp.not.i.i = icmp eq i64 %xtraiter.i.i, %lsr.iv.next.i
  br i1 %prol.iter.cmp.not.i.i, label %B106.prol.loopexit.loopexit.i.i, label %B106.prol.i.i

B106.prol.loopexit.loopexit.i.i:                  ; preds = %B106.prol.i.i
  %2 = add nuw nsw i64 %xtraiter.i.i, %begin.2.3501513528531.i
  br label %B106.prol.loopexit.i.i

B106.prol.loopexit.i.i:                           ; preds = %B106.prol.loopexit.loopexit.i.i, %B106.preheader.i.i
  %.101.lcssa.unr.i.i = phi i64 [ poison, %B106.preheader.i.i ], [ %.101.prol.i.i, %B106.prol.loopexit.loopexit.i.i ]
  %.137.lcssa.unr.i.i = phi i64 [ poison, %B106.preheader.i.i ], [ %.137.prol.i.i, %B106.prol.loopexit.loopexit.i.i ]
  %at.2.0.unr.i.i = phi i64 [ %begin.2.3501513528531.i, %B106.preheader.i.i ], [ %2, %B106.prol.loopexit.loopexit.i.i ]
  %low.2.0.unr.i.i = phi i64 [ %spec.select.i.i, %B106.preheader.i.i ], [ %.137.prol.i.i, %B106.prol.loopexit.loopexit.i.i ]
  %high.2.0.unr.i.i = phi i64 [ %spec.select.i.i, %B106.preheader.i.i ], [ %.101.prol.i.i, %B106.prol.loopexit.loopexit.i.i ]
  %3 = icmp ult i64 %1, 3
  br i1 %3, label %B808.endif.i, label %B106.i.preheader.i

B106.i.preheader.i:                               ; preds = %B106.prol.loopexit.i.i
  %4 = and i64 %.421505512529530.i, -4
  %scevgep32.i = getelementptr i8, ptr %scevgep31.i, i64 %at.2.0.unr.i.i
  br label %B106.i.i

B106.i.i:                                         ; preds = %B106.i.i, %B106.i.preheader.i
  %lsr.iv29.i = phi i64 [ 0, %B106.i.preheader.i ], [ %lsr.iv.next30.i, %B106.i.i ]
  %low.2.0.i.i = phi i64 [ %low.2.0.unr.i.i, %B106.i.preheader.i ], [ %.137.3.i.i, %B106.i.i ]
  %high.2.0.i.i = phi i64 [ %high.2.0.unr.i.i, %B106.i.preheader.i ], [ %.101.3.i.i, %B106.i.i ]
  %.101.i.i = tail call i64 @llvm.fshl.i64(i64 %high.2.0.i.i, i64 %low.2.0.i.i, i64 8)
  %.107.i.i = shl i64 %low.2.0.i.i, 8
  %scevgep38.i = getelementptr i8, ptr %scevgep32.i, i64 %lsr.iv29.i
  %scevgep39.i = getelementptr i8, ptr %scevgep38.i, i64 -3
  %.135.i.i = load i8, ptr %scevgep39.i, align 1
  %.136.i.i = zext i8 %.135.i.i to i64
  %.137.i.i = or disjoint i64 %.107.i.i, %.136.i.i
  %.101.1.i.i = tail call i64 @llvm.fshl.i64(i64 %.101.i.i, i64 %.107.i.i, i64 8)
  %.107.1.i.i = shl i64 %.137.i.i, 8
  %scevgep3.i = getelementptr i8, ptr %scevgep38.i, i64 -2
  %.135.1.i.i = load i8, ptr %scevgep3.i, align 1
  %.136.1.i.i = zext i8 %.135.1.i.i to i64
  %.137.1.i.i = or disjoint i64 %.107.1.i.i, %.136.1.i.i
  %.101.2.i.i = tail call i64 @llvm.fshl.i64(i64 %.101.1.i.i, i64 %.107.1.i.i, i64 8)
  %.107.2.i.i = shl i64 %.137.1.i.i, 8
  %scevgep1.i = getelementptr i8, ptr %scevgep38.i, i64 -1
  %.135.2.i.i = load i8, ptr %scevgep1.i, align 1
  %.136.2.i.i = zext i8 %.135.2.i.i to i64
  %.137.2.i.i = or disjoint i64 %.107.2.i.i, %.136.2.i.i
  %.101.3.i.i = tail call i64 @llvm.fshl.i64(i64 %.101.2.i.i, i64 %.107.2.i.i, i64 8)
  %.107.3.i.i = shl i64 %.137.2.i.i, 8
  %.135.3.i.i = load i8, ptr %scevgep38.i, align 1
  %.136.3.i.i = zext i8 %.135.3.i.i to i64
  %.137.3.i.i = or disjoint i64 %.107.3.i.i, %.136.3.i.i
  %lsr.iv.next30.i = add i64 %lsr.iv29.i, 4
  %exitcond.not.3.i.i = icmp eq i64 %4, %lsr.iv.next30.i
  br i1 %exitcond.not.3.i.i, label %B808.endif.i, label %B106.i.i

B972.i:                                           ; preds = %B808.endif.endif.endif.i, %B168.i.i, %B30.i.i, %B808.endif.i
  %sunkaddr44.i = getelementptr i8, ptr %.219.i, i64 16
  %.839.i = load i64, ptr %sunkaddr44.i, align 8
  %sunkaddr47.i = getelementptr i8, ptr %.219.i, i64 24
  %.888.i = load i64, ptr %sunkaddr47.i, align 8
  %.23.i.i = icmp sge i64 %high.3.1.i.i, %.839.i
  %.33.i.i = icmp ne i64 %high.3.1.i.i, %.839.i
  %.43.i.i = icmp uge i64 %low.3.1.i.i, %.888.i
  %spec.select.i9.not25.i = select i1 %.33.i.i, i1 true, i1 %.43.i.i
  %narrow.i.not.i = select i1 %.23.i.i, i1 %spec.select.i9.not25.i, i1 false
  br i1 %narrow.i.not.i, label %B1154.critedge577.i, label %B1066.i

B1066.i:                                          ; preds = %B972.i
  %sunkaddr6.i = getelementptr i8, ptr %.219.i, i64 32
  %.983.i = load i64, ptr %sunkaddr6.i, align 8
  %sunkaddr9.i = getelementptr i8, ptr %.219.i, i64 40
  %.1032.i = load i64, ptr %sunkaddr9.i, align 8
  %.23.i10.i = icmp slt i64 %.983.i, %high.3.1.i.i
  %.33.i11.i = icmp eq i64 %.983.i, %high.3.1.i.i
  %.43.i12.i = icmp ult i64 %.1032.i, %low.3.1.i.i
  %spec.select.i13.not26.not27.i = select i1 %.33.i11.i, i1 %.43.i12.i, i1 false
  %narrow.i14.not.not.i = select i1 %.23.i10.i, i1 true, i1 %spec.select.i13.not26.not27.i
  %gep616.i = getelementptr i64, ptr %invariant.gep615.i, i64 %.269.i
  store i64 %low.3.1.i.i, ptr %gep616.i, align 8
  %.1165.i = getelementptr i8, ptr %gep616.i, i64 8
  store i64 %high.3.1.i.i, ptr %.1165.i, align 8
  %spec.select.i = zext i1 %narrow.i14.not.not.i to i8
  br label %B1156.i

B1146.i:                                          ; preds = %B722.i
  %.41.i7.i = getelementptr i8, ptr %arg.data, i64 %begin.2.3501.i
  %.42.i8.i = load i64, ptr %.41.i7.i, align 1
  %gep587.i = getelementptr i64, ptr %invariant.gep584.i, i64 %.269.i
  store i64 %.42.i8.i, ptr %gep587.i, align 8
  br label %B1156.i

B1154.critedge.i:                                 ; preds = %B636.i
  %gep589.i = getelementptr i32, ptr %invariant.gep588.i, i64 %.269.i
  store i32 0, ptr %gep589.i, align 4
  br label %B1156.i

B1154.critedge575.i:                              ; preds = %B722.i
  %gep585.i = getelementptr i64, ptr %invariant.gep584.i, i64 %.269.i
  store i64 0, ptr %gep585.i, align 8
  br label %B1156.i

B1154.critedge577.i:                              ; preds = %B808.endif.endif.endif.i, %B168.i.i, %B972.i, %B786.i, %B562.i
  %high.2.4.ph.i = phi i64 [ %high.3.1.i.i, %B972.i ], [ %high.3.1.i.i, %B808.endif.endif.endif.i ], [ 0, %B786.i ], [ 0, %B562.i ], [ %high.3.1.i.i, %B168.i.i ]
  %low.2.4.ph.i = phi i64 [ %low.3.1.i.i, %B972.i ], [ %low.3.1.i.i, %B808.endif.endif.endif.i ], [ 0, %B786.i ], [ 0, %B562.i ], [ %low.3.1.i.i, %B168.i.i ]
  %gep618.i = getelementptr i64, ptr %invariant.gep615.i, i64 %.269.i
  store i64 %low.2.4.ph.i, ptr %gep618.i, align 8
  %.1165.c.i = getelementptr i8, ptr %gep618.i, i64 8
  store i64 %high.2.4.ph.i, ptr %.1165.c.i, align 8
  br label %B1156.i

B1156.i:                                          ; preds = %B1154.critedge577.i, %B1154.critedge575.i, %B1154.critedge.i, %B1146.i, %B1066.i, %B684.i
  %"$phi1156.0.2.3.i" = phi i8 [ 1, %B1146.i ], [ %spec.select.i, %B1066.i ], [ 1, %B684.i ], [ 0, %B1154.critedge577.i ], [ 0, %B1154.critedge575.i ], [ 0, %B1154.critedge.i ]
  %.1224.i = mul i64 %column.2.1.i, %arg.regular_1
  %gep593.i = getelementptr i8, ptr %invariant.gep592.i, i64 %.1224.i
  store i8 %"$phi1156.0.2.3.i", ptr %gep593.i, align 1
  %.1236.i = add nuw i64 %column.2.1.i, 1
  %exitcond.not.i = icmp eq i64 %.1236.i, %arg.items_0
  br i1 %exitcond.not.i, label %B1202.loopexit.i, label %B164.i

B1202.loopexit.i:                                 ; preds = %B1156.i
  %.1250.i = add nuw i64 %row.2.0.i, 1
  %exitcond602.not.i = icmp eq i64 %.1250.i, %arg.items_1
  br i1 %exitcond602.not.i, label %read_bounds.exit, label %B136.i

B808.endif.i:                                     ; preds = %B106.i.i, %B106.prol.loopexit.i.i, %B808.i
  %low.3.1.i.i = phi i64 [ %spec.select.i.i, %B808.i ], [ %.137.lcssa.unr.i.i, %B106.prol.loopexit.i.i ], [ %.137.3.i.i, %B106.i.i ]
  %high.3.1.i.i = phi i64 [ %spec.select.i.i, %B808.i ], [ %.101.lcssa.unr.i.i, %B106.prol.loopexit.i.i ], [ %.101.3.i.i, %B106.i.i ]
  %.22.i.i = icmp eq i64 %.421505512529530.i, 1
  br i1 %.22.i.i, label %B972.i, label %B30.i.i

B30.i.i:                                          ; preds = %B808.endif.i
  %sunkaddr55.i = getelementptr i8, ptr %.50.i.i, i64 1
  %.93.i16.i = load i8, ptr %sunkaddr55.i, align 1
  switch i8 %.51.i.i, label %B972.i [
    i8 0, label %B168.i.i
    i8 -1, label %B808.endif.endif.endif.i
  ]

B168.i.i:                                         ; preds = %B30.i.i
  %.111.i.i = icmp sgt i8 %.93.i16.i, -1
  br i1 %.111.i.i, label %B1154.critedge577.i, label %B972.i

B808.endif.endif.endif.i:                         ; preds = %B30.i.i
  %.124.i.i = icmp slt i8 %.93.i16.i, 0
  br i1 %.124.i.i, label %B1154.critedge577.i, label %B972.i

read_bounds.exit: ; preds = %B1202.loopexit.i, %B0.endif.endif.endif.endif.endif.endif.endif
  store i64 0, ptr %retptr, align 8
  ret i32 0
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.fshl.i64(i64, i64, i64) #1

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #1 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

