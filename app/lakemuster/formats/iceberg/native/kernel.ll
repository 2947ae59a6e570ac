; Made by scripts/kernels.py with numba 0.68.1 on Python 3.11; not to be edited.
; kernel.py: 367841a5c96c5f066631702bcbb5926fb4ba5bc33328fa6b2b8854b5bce5afb4

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local noundef range(i32 -1, -2) i32 @lakemuster_read_bounds(ptr noalias writeonly captures(none) %retptr, ptr noalias readnone captures(none) %excinfo, ptr readonly captures(none) %arg.data, i64 %arg.data_0, ptr readonly captures(none) %arg.offsets, i64 %arg.offsets_0, ptr readonly captures(none) %arg.items, i64 %arg.items_0, i64 %arg.items_1, ptr readonly captures(none) %arg.forms, i64 %arg.forms_0, ptr writeonly captures(none) %arg.ints, i64 %arg.ints_0, ptr writeonly captures(none) %arg.longs, i64 %arg.longs_0, ptr writeonly captures(none) %arg.regular, i64 %arg.regular_0, i64 %arg.regular_1) local_unnamed_addr #0 {
B0.endif.endif.endif.endif.endif.endif.endif:
  %.160.not.i = icmp eq i64 %arg.items_1, 0
  %.169.not.i = icmp eq i64 %arg.items_0, 0
  %or.cond619.i = select i1 %.160.not.i, i1 true, i1 %.169.not.i
  br i1 %or.cond619.i, label %read_bounds.exit, label %B136.preheader.i

B136.preheader.i:                                 ; preds = %B0.endif.endif.endif.endif.endif.endif.endif
  %0 = shl i64 %arg.items_1, 3
  %scevgep30.i = getelementptr i8, ptr %arg.forms, i64 40
  br label %B136.i

B136.i:                                           ; preds = %B1202.loopexit.i, %B136.preheader.i
  %lsr.iv26.i = phi ptr [ %arg.items, %B136.preheader.i ], [ %scevgep27.i, %B1202.loopexit.i ]
  %lsr.iv.i = phi ptr [ %arg.regular, %B136.preheader.i ], [ %scevgep.i, %B1202.loopexit.i ]
  %row.2.0.i = phi i64 [ 0, %B136.preheader.i ], [ %.1250.i, %B1202.loopexit.i ]
  %invariant.gep584.i = getelementptr i64, ptr %arg.longs, i64 %row.2.0.i
  %invariant.gep588.i = getelementptr i32, ptr %arg.ints, i64 %row.2.0.i
  %invariant.gep615.idx.i = shl i64 %row.2.0.i, 4
  %invariant.gep615.i = getelementptr i8, ptr %arg.longs, i64 %invariant.gep615.idx.i
  br label %B164.i

B164.i:                                           ; preds = %B1156.i, %B136.i
  %lsr.iv38.i = phi i64 [ %arg.items_0, %B136.i ], [ %lsr.iv.next.i, %B1156.i ]
  %lsr.iv31.i = phi ptr [ %scevgep30.i, %B136.i ], [ %scevgep32.i, %B1156.i ]
  %lsr.iv28.i = phi ptr [ %lsr.iv26.i, %B136.i ], [ %scevgep29.i, %B1156.i ]
  %lsr.iv24.i = phi ptr [ %lsr.iv.i, %B136.i ], [ %scevgep25.i, %B1156.i ]
  %scevgep37.i = getelementptr i8, ptr %lsr.iv31.i, i64 -40
  %.220.i = load i64, ptr %scevgep37.i, align 8
  %scevgep36.i = getelementptr i8, ptr %lsr.iv31.i, i64 -32
  %.269.i = load i64, ptr %scevgep36.i, align 8
  %.319.i = load i64, ptr %lsr.iv28.i, align 8
  %.338.i = add i64 %.319.i, 1
  %.349.i = icmp ult i64 %.338.i, %arg.offsets_0
  br i1 %.349.i, label %B442.i, label %B528.i

B442.i:                                           ; preds = %B164.i
  %.377.i = getelementptr i32, ptr %arg.offsets, i64 %.319.i
  %.378.i = load i32, ptr %.377.i, align 4
  %.379.i = zext i32 %.378.i to i64
  %sunkaddr.i = shl i64 %.319.i, 2
  %sunkaddr39.i = getelementptr i8, ptr %arg.offsets, i64 %sunkaddr.i
  %sunkaddr40.i = getelementptr i8, ptr %sunkaddr39.i, i64 4
  %.410.i = load i32, ptr %sunkaddr40.i, align 4
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
  %1 = add nsw i64 %.421504607.i, -1
  %or.cond.i = icmp ult i64 %1, 15
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
  %.43.i.i.i.i = zext i8 %.51.i.i to i64
  %.51.lobit.i.i = ashr i8 %.51.i.i, 7
  %spec.select.i.i = sext i8 %.51.lobit.i.i to i64
  %.70.i.i = icmp ugt i64 %.421505512529530.i, 8
  br i1 %.70.i.i, label %B102.endif.endif.i.i, label %B208.i.i

B208.i.i:                                         ; preds = %B808.i
  %.170.i.i = sub i64 %arg.data_0, %begin.2.3501513528531.i
  %.171.i.i = icmp ugt i64 %.170.i.i, 7
  br i1 %.171.i.i, label %B288.endif.i.i, label %B328.i.i

B328.i.i:                                         ; preds = %B208.i.i
  %.247.not.i.i = icmp eq i64 %.421505512529530.i, 0
  br i1 %.247.not.i.i, label %B30.i.i, label %B354.preheader.i.i

B354.preheader.i.i:                               ; preds = %B328.i.i
  %xtraiter.i.i = and i64 %.421505512529530.i, 3
  %lcmp.mod.not.i.i = icmp eq i64 %xtraiter.i.i, 0
  br i1 %lcmp.mod.not.i.i, label %B354.prol.loopexit.i.i, label %B354.prol.i.i

B354.prol.i.i:                                    ; preds = %B354.preheader.i.i, %B354.prol.i.i
  %lsr.iv15.i.i = phi i64 [ %lsr.iv.next16.i.i, %B354.prol.i.i ], [ 0, %B354.preheader.i.i ]
  %low.2.0.prol.i.i = phi i64 [ %.282.prol.i.i, %B354.prol.i.i ], [ %spec.select.i.i, %B354.preheader.i.i ]
  %.252.prol.i.i = shl i64 %low.2.0.prol.i.i, 8
  %scevgep18.i.i = getelementptr i8, ptr %.50.i.i, i64 %lsr.iv15.i.i
  %.280.prol.i.i = load i8, ptr %scevgep18.i.i, align 1
  %.281.prol.i.i = zext i8 %.280.prol.i.i to i64
  %.282.prol.i.i = or disjoint i64 %.252.prol.i.i, %.281.prol.i.i
  %lsr.iv.next16.i.i = add nuw nsw i64 %lsr.iv15.i.i, 1
  %prol.iter.cmp.not.i.i = icmp eq i64 %xtraiter.i.i, %lsr.iv.next16.i.i
  br i1 %prol.iter.cmp.not.i.i, label %B354.prol.loopexit.i.i, label %B354.prol.i.i

B354.prol.loopexit.i.i:                           ; preds = %B354.prol.i.i, %B354.preheader.i.i
  %.282.lcssa.unr.i.i = phi i64 [ poison, %B354.preheader.i.i ], [ %.282.prol.i.i, %B354.prol.i.i ]
  %low.2.0.unr.i.i = phi i64 [ %spec.select.i.i, %B354.preheader.i.i ], [ %.282.prol.i.i, %B354.prol.i.i ]
  %2 = icmp samesign ult i64 %.421505512529530.i, 4
  br i1 %2, label %load_decimal.exit.i, label %B354.preheader5.i.i

B354.preheader5.i.i:                              ; preds = %B354.prol.loopexit.i.i
  %3 = getelementptr i8, ptr %.50.i.i, i64 %xtraiter.i.i
  %4 = and i64 %.421505512529530.i, 12
  %5 = icmp eq i64 %4, 4
  br i1 %5, label %B354.epil.preheader.i.i, label %B354.preheader5.new.i.i

B354.preheader5.new.i.i:                          ; preds = %B354.preheader5.i.i
  %scevgep8.i.i = getelementptr i8, ptr %3, i64 7
  %scevgep22.i.i = getelementptr i8, ptr %3, i64 3
  %.280.i.i = load i8, ptr %3, align 1
  %.281.i.i = zext i8 %.280.i.i to i64
  %scevgep26.i.i = getelementptr i8, ptr %3, i64 1
  %.280.1.i.i = load i8, ptr %scevgep26.i.i, align 1
  %.281.1.i.i = zext i8 %.280.1.i.i to i64
  %scevgep24.i.i = getelementptr i8, ptr %3, i64 2
  %.280.2.i.i = load i8, ptr %scevgep24.i.i, align 1
  %.281.2.i.i = zext i8 %.280.2.i.i to i64
  %6 = shl nuw nsw i64 %.281.i.i, 24
  %7 = shl nuw nsw i64 %.281.1.i.i, 16
  %8 = or disjoint i64 %7, %6
  %9 = shl nuw nsw i64 %.281.2.i.i, 8
  %.252.3.i.i = or disjoint i64 %8, %9
  %.280.3.i.i = load i8, ptr %scevgep22.i.i, align 1
  %.281.3.i.i = zext i8 %.280.3.i.i to i64
  %.282.3.i.i = or disjoint i64 %.252.3.i.i, %.281.3.i.i
  %scevgep19.i.i = getelementptr i8, ptr %3, i64 4
  %.280.15.i.i = load i8, ptr %scevgep19.i.i, align 1
  %.281.16.i.i = zext i8 %.280.15.i.i to i64
  %scevgep16.i.i = getelementptr i8, ptr %3, i64 5
  %.280.1.1.i.i = load i8, ptr %scevgep16.i.i, align 1
  %.281.1.1.i.i = zext i8 %.280.1.1.i.i to i64
  %scevgep11.i.i = getelementptr i8, ptr %3, i64 6
  %.280.2.1.i.i = load i8, ptr %scevgep11.i.i, align 1
  %.281.2.1.i.i = zext i8 %.280.2.1.i.i to i64
  %10 = shl nuw i64 %.282.3.i.i, 32
  %11 = shl nuw nsw i64 %.281.16.i.i, 24
  %12 = shl nuw nsw i64 %.281.1.1.i.i, 16
  %13 = or disjoint i64 %12, %11
  %14 = or disjoint i64 %13, %10
  %15 = shl nuw nsw i64 %.281.2.1.i.i, 8
  %.280.3.1.i.i = load i8, ptr %scevgep8.i.i, align 1
  %.281.3.1.i.i = zext i8 %.280.3.1.i.i to i64
  %.252.3.1.i.i = or disjoint i64 %14, %.281.3.1.i.i
  %.282.3.1.i.i = or disjoint i64 %.252.3.1.i.i, %15
  br label %B30.i.i

B354.epil.preheader.i.i:                          ; preds = %B354.preheader5.i.i
  %scevgep.i.i = getelementptr i8, ptr %3, i64 3
  %.280.epil.i.i = load i8, ptr %3, align 1
  %.281.epil.i.i = zext i8 %.280.epil.i.i to i64
  %16 = shl i64 %low.2.0.unr.i.i, 16
  %17 = shl nuw nsw i64 %.281.epil.i.i, 8
  %.252.1.epil.i.i = or disjoint i64 %17, %16
  %scevgep12.epil.i.i = getelementptr i8, ptr %3, i64 1
  %.280.1.epil.i.i = load i8, ptr %scevgep12.epil.i.i, align 1
  %.281.1.epil.i.i = zext i8 %.280.1.epil.i.i to i64
  %.282.1.epil.i.i = or disjoint i64 %.252.1.epil.i.i, %.281.1.epil.i.i
  %scevgep10.epil.i.i = getelementptr i8, ptr %3, i64 2
  %.280.2.epil.i.i = load i8, ptr %scevgep10.epil.i.i, align 1
  %.281.2.epil.i.i = zext i8 %.280.2.epil.i.i to i64
  %18 = shl i64 %.282.1.epil.i.i, 16
  %19 = shl nuw nsw i64 %.281.2.epil.i.i, 8
  %.252.3.epil.i.i = or disjoint i64 %18, %19
  %.280.3.epil.i.i = load i8, ptr %scevgep.i.i, align 1
  %.281.3.epil.i.i = zext i8 %.280.3.epil.i.i to i64
  %.282.3.epil.i.i = or disjoint i64 %.252.3.epil.i.i, %.281.3.epil.i.i
  br label %B30.i.i

B102.endif.endif.i.i:                             ; preds = %B808.i
  %.74.i.i = add nsw i64 %.421505512529530.i, -8
  %.44.i.i.i.i = shl nuw i64 %.43.i.i.i.i, 56
  %sunkaddr28.i.i = getelementptr i8, ptr %.50.i.i, i64 1
  %.71.i.i.i.i = load i8, ptr %sunkaddr28.i.i, align 1
  %.72.i.i.i.i = zext i8 %.71.i.i.i.i to i64
  %.73.i.i.i.i = shl nuw nsw i64 %.72.i.i.i.i, 48
  %.74.i.i.i.i = or disjoint i64 %.73.i.i.i.i, %.44.i.i.i.i
  %sunkaddr32.i.i = getelementptr i8, ptr %.50.i.i, i64 2
  %.101.i.i.i.i = load i8, ptr %sunkaddr32.i.i, align 1
  %.102.i.i.i.i = zext i8 %.101.i.i.i.i to i64
  %.103.i.i.i.i = shl nuw nsw i64 %.102.i.i.i.i, 40
  %.104.i.i.i.i = or disjoint i64 %.74.i.i.i.i, %.103.i.i.i.i
  %sunkaddr36.i.i = getelementptr i8, ptr %.50.i.i, i64 3
  %.131.i.i.i.i = load i8, ptr %sunkaddr36.i.i, align 1
  %.132.i.i.i.i = zext i8 %.131.i.i.i.i to i64
  %.133.i.i.i.i = shl nuw nsw i64 %.132.i.i.i.i, 32
  %.134.i.i.i.i = or disjoint i64 %.104.i.i.i.i, %.133.i.i.i.i
  %sunkaddr40.i.i = getelementptr i8, ptr %.50.i.i, i64 4
  %.161.i.i.i.i = load i8, ptr %sunkaddr40.i.i, align 1
  %.162.i.i.i.i = zext i8 %.161.i.i.i.i to i64
  %.163.i.i.i.i = shl nuw nsw i64 %.162.i.i.i.i, 24
  %.164.i.i.i.i = or disjoint i64 %.134.i.i.i.i, %.163.i.i.i.i
  %sunkaddr44.i.i = getelementptr i8, ptr %.50.i.i, i64 5
  %.191.i.i.i.i = load i8, ptr %sunkaddr44.i.i, align 1
  %.192.i.i.i.i = zext i8 %.191.i.i.i.i to i64
  %.193.i.i.i.i = shl nuw nsw i64 %.192.i.i.i.i, 16
  %.194.i.i.i.i = or disjoint i64 %.164.i.i.i.i, %.193.i.i.i.i
  %sunkaddr47.i.i = getelementptr i8, ptr %.50.i.i, i64 6
  %.221.i.i.i.i = load i8, ptr %sunkaddr47.i.i, align 1
  %.222.i.i.i.i = zext i8 %.221.i.i.i.i to i64
  %.223.i.i.i.i = shl nuw nsw i64 %.222.i.i.i.i, 8
  %.224.i.i.i.i = or i64 %.194.i.i.i.i, %.223.i.i.i.i
  %sunkaddr49.i.i = getelementptr i8, ptr %.50.i.i, i64 7
  %.251.i.i.i.i = load i8, ptr %sunkaddr49.i.i, align 1
  %.255.i.i.i.i = zext i8 %.251.i.i.i.i to i64
  %.256.i.i.i.i = or i64 %.224.i.i.i.i, %.255.i.i.i.i
  %.19.i.i.i = shl nsw i64 %.74.i.i, 3
  %.52.i.i.i = sub nsw i64 64, %.19.i.i.i
  %.53.i.i.i = lshr i64 %.256.i.i.i.i, %.52.i.i.i
  %.54.i.i.i = add nsw i64 %.19.i.i.i, -1
  %.55.i.i.i = shl nsw i64 %spec.select.i.i, %.54.i.i.i
  %.56.i.i.i = or i64 %.53.i.i.i, %.55.i.i.i
  %20 = getelementptr i8, ptr %arg.data, i64 %.74.i.i
  %.41.i.i.i = getelementptr i8, ptr %20, i64 %begin.2.3501513528531.i
  %.42.i.i.i = load i8, ptr %.41.i.i.i, align 1
  %.43.i.i.i = zext i8 %.42.i.i.i to i64
  %.44.i.i.i = shl nuw i64 %.43.i.i.i, 56
  %.70.i.i.i = getelementptr i8, ptr %.41.i.i.i, i64 1
  %.71.i.i.i = load i8, ptr %.70.i.i.i, align 1
  %.72.i.i.i = zext i8 %.71.i.i.i to i64
  %.73.i.i.i = shl nuw nsw i64 %.72.i.i.i, 48
  %.74.i.i.i = or disjoint i64 %.73.i.i.i, %.44.i.i.i
  %.100.i.i.i = getelementptr i8, ptr %.41.i.i.i, i64 2
  %.101.i.i.i = load i8, ptr %.100.i.i.i, align 1
  %.102.i.i.i = zext i8 %.101.i.i.i to i64
  %.103.i.i.i = shl nuw nsw i64 %.102.i.i.i, 40
  %.104.i.i.i = or disjoint i64 %.74.i.i.i, %.103.i.i.i
  %.130.i.i.i = getelementptr i8, ptr %.41.i.i.i, i64 3
  %.131.i.i.i = load i8, ptr %.130.i.i.i, align 1
  %.132.i.i.i = zext i8 %.131.i.i.i to i64
  %.133.i.i.i = shl nuw nsw i64 %.132.i.i.i, 32
  %.134.i.i.i = or disjoint i64 %.104.i.i.i, %.133.i.i.i
  %.160.i.i.i = getelementptr i8, ptr %.41.i.i.i, i64 4
  %.161.i.i.i = load i8, ptr %.160.i.i.i, align 1
  %.162.i.i.i = zext i8 %.161.i.i.i to i64
  %.163.i.i.i = shl nuw nsw i64 %.162.i.i.i, 24
  %.164.i.i.i = or disjoint i64 %.134.i.i.i, %.163.i.i.i
  %.190.i.i.i = getelementptr i8, ptr %.41.i.i.i, i64 5
  %.191.i.i.i = load i8, ptr %.190.i.i.i, align 1
  %.192.i.i.i = zext i8 %.191.i.i.i to i64
  %.193.i.i.i = shl nuw nsw i64 %.192.i.i.i, 16
  %.194.i.i.i = or disjoint i64 %.164.i.i.i, %.193.i.i.i
  %.220.i.i.i = getelementptr i8, ptr %.41.i.i.i, i64 6
  %.221.i.i.i = load i8, ptr %.220.i.i.i, align 1
  %.222.i.i.i = zext i8 %.221.i.i.i to i64
  %.223.i.i.i = shl nuw nsw i64 %.222.i.i.i, 8
  %.224.i.i.i = or i64 %.194.i.i.i, %.223.i.i.i
  %.250.i.i.i = getelementptr i8, ptr %.41.i.i.i, i64 7
  %.251.i.i.i = load i8, ptr %.250.i.i.i, align 1
  %.255.i.i.i = zext i8 %.251.i.i.i to i64
  %.256.i.i.i = or i64 %.224.i.i.i, %.255.i.i.i
  br label %load_decimal.exit.i

B288.endif.i.i:                                   ; preds = %B208.i.i
  %.44.i.i4.i.i = shl nuw i64 %.43.i.i.i.i, 56
  %sunkaddr33.i.i = getelementptr i8, ptr %.50.i.i, i64 1
  %.71.i.i6.i.i = load i8, ptr %sunkaddr33.i.i, align 1
  %.72.i.i7.i.i = zext i8 %.71.i.i6.i.i to i64
  %.73.i.i8.i.i = shl nuw nsw i64 %.72.i.i7.i.i, 48
  %.74.i.i9.i.i = or disjoint i64 %.73.i.i8.i.i, %.44.i.i4.i.i
  %sunkaddr35.i.i = getelementptr i8, ptr %.50.i.i, i64 2
  %.101.i.i11.i.i = load i8, ptr %sunkaddr35.i.i, align 1
  %.102.i.i12.i.i = zext i8 %.101.i.i11.i.i to i64
  %.103.i.i13.i.i = shl nuw nsw i64 %.102.i.i12.i.i, 40
  %.104.i.i14.i.i = or disjoint i64 %.74.i.i9.i.i, %.103.i.i13.i.i
  %sunkaddr37.i.i = getelementptr i8, ptr %.50.i.i, i64 3
  %.131.i.i16.i.i = load i8, ptr %sunkaddr37.i.i, align 1
  %.132.i.i17.i.i = zext i8 %.131.i.i16.i.i to i64
  %.133.i.i18.i.i = shl nuw nsw i64 %.132.i.i17.i.i, 32
  %.134.i.i19.i.i = or disjoint i64 %.104.i.i14.i.i, %.133.i.i18.i.i
  %sunkaddr39.i.i = getelementptr i8, ptr %.50.i.i, i64 4
  %.161.i.i21.i.i = load i8, ptr %sunkaddr39.i.i, align 1
  %.162.i.i22.i.i = zext i8 %.161.i.i21.i.i to i64
  %.163.i.i23.i.i = shl nuw nsw i64 %.162.i.i22.i.i, 24
  %.164.i.i24.i.i = or disjoint i64 %.134.i.i19.i.i, %.163.i.i23.i.i
  %sunkaddr41.i.i = getelementptr i8, ptr %.50.i.i, i64 5
  %.191.i.i26.i.i = load i8, ptr %sunkaddr41.i.i, align 1
  %.192.i.i27.i.i = zext i8 %.191.i.i26.i.i to i64
  %.193.i.i28.i.i = shl nuw nsw i64 %.192.i.i27.i.i, 16
  %.194.i.i29.i.i = or disjoint i64 %.164.i.i24.i.i, %.193.i.i28.i.i
  %sunkaddr43.i.i = getelementptr i8, ptr %.50.i.i, i64 6
  %.221.i.i31.i.i = load i8, ptr %sunkaddr43.i.i, align 1
  %.222.i.i32.i.i = zext i8 %.221.i.i31.i.i to i64
  %.223.i.i33.i.i = shl nuw nsw i64 %.222.i.i32.i.i, 8
  %.224.i.i34.i.i = or i64 %.194.i.i29.i.i, %.223.i.i33.i.i
  %sunkaddr45.i.i = getelementptr i8, ptr %.50.i.i, i64 7
  %.251.i.i36.i.i = load i8, ptr %sunkaddr45.i.i, align 1
  %.255.i.i37.i.i = zext i8 %.251.i.i36.i.i to i64
  %.256.i.i38.i.i = or i64 %.224.i.i34.i.i, %.255.i.i37.i.i
  %.19.i39.i.i = shl nuw nsw i64 %.421505512529530.i, 3
  %.52.i40.i.i = sub nuw nsw i64 64, %.19.i39.i.i
  %.53.i41.i.i = lshr i64 %.256.i.i38.i.i, %.52.i40.i.i
  %.54.i42.i.i = add nsw i64 %.19.i39.i.i, -1
  %.55.i43.i.i = shl nsw i64 %spec.select.i.i, %.54.i42.i.i
  %.56.i44.i.i = or i64 %.53.i41.i.i, %.55.i43.i.i
  br label %load_decimal.exit.i

load_decimal.exit.i: ; preds = %B288.endif.i.i, %B102.endif.endif.i.i, %B354.prol.loopexit.i.i
  %spec.select.sink.i.i = phi i64 [ %spec.select.i.i, %B288.endif.i.i ], [ %.56.i.i.i, %B102.endif.endif.i.i ], [ %spec.select.i.i, %B354.prol.loopexit.i.i ]
  %.56.i44.sink.i.i = phi i64 [ %.56.i44.i.i, %B288.endif.i.i ], [ %.256.i.i.i, %B102.endif.endif.i.i ], [ %.282.lcssa.unr.i.i, %B354.prol.loopexit.i.i ]
  %.22.i.i = icmp eq i64 %.421505512529530.i, 1
  br i1 %.22.i.i, label %B972.i, label %B30.i.i

B972.i:                                           ; preds = %B808.endif.endif.endif.i, %B168.i.i, %B30.i.i, %load_decimal.exit.i
  %.56.i44.sink.i7.i = phi i64 [ %.56.i44.sink.i6.i, %B808.endif.endif.endif.i ], [ %.56.i44.sink.i6.i, %B168.i.i ], [ %.56.i44.sink.i6.i, %B30.i.i ], [ %.56.i44.sink.i.i, %load_decimal.exit.i ]
  %spec.select.sink.i5.i = phi i64 [ %spec.select.sink.i4.i, %B808.endif.endif.endif.i ], [ %spec.select.sink.i4.i, %B168.i.i ], [ %spec.select.sink.i4.i, %B30.i.i ], [ %spec.select.sink.i.i, %load_decimal.exit.i ]
  %scevgep35.i = getelementptr i8, ptr %lsr.iv31.i, i64 -24
  %.839.i = load i64, ptr %scevgep35.i, align 8
  %scevgep34.i = getelementptr i8, ptr %lsr.iv31.i, i64 -16
  %.888.i = load i64, ptr %scevgep34.i, align 8
  %.23.i.i = icmp sge i64 %spec.select.sink.i5.i, %.839.i
  %.33.i.i = icmp ne i64 %spec.select.sink.i5.i, %.839.i
  %.43.i.i = icmp uge i64 %.56.i44.sink.i7.i, %.888.i
  %spec.select.i.not22.i = select i1 %.33.i.i, i1 true, i1 %.43.i.i
  %narrow.i.not.i = select i1 %.23.i.i, i1 %spec.select.i.not22.i, i1 false
  br i1 %narrow.i.not.i, label %B1154.critedge577.i, label %B1066.i

B1066.i:                                          ; preds = %B972.i
  %scevgep33.i = getelementptr i8, ptr %lsr.iv31.i, i64 -8
  %.983.i = load i64, ptr %scevgep33.i, align 8
  %.1032.i = load i64, ptr %lsr.iv31.i, align 8
  %.23.i9.i = icmp slt i64 %.983.i, %spec.select.sink.i5.i
  %.33.i10.i = icmp eq i64 %.983.i, %spec.select.sink.i5.i
  %.43.i11.i = icmp ult i64 %.1032.i, %.56.i44.sink.i7.i
  %spec.select.i12.not23.not8.i = select i1 %.33.i10.i, i1 %.43.i11.i, i1 false
  %narrow.i13.not.not.i = select i1 %.23.i9.i, i1 true, i1 %spec.select.i12.not23.not8.i
  %gep616.i = getelementptr i64, ptr %invariant.gep615.i, i64 %.269.i
  store i64 %.56.i44.sink.i7.i, ptr %gep616.i, align 8
  %.1165.i = getelementptr i8, ptr %gep616.i, i64 8
  store i64 %spec.select.sink.i5.i, ptr %.1165.i, align 8
  %spec.select.i = zext i1 %narrow.i13.not.not.i to i8
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
  %high.2.4.ph.i = phi i64 [ %spec.select.sink.i5.i, %B972.i ], [ %spec.select.sink.i4.i, %B808.endif.endif.endif.i ], [ 0, %B786.i ], [ 0, %B562.i ], [ %spec.select.sink.i4.i, %B168.i.i ]
  %low.2.4.ph.i = phi i64 [ %.56.i44.sink.i7.i, %B972.i ], [ %.56.i44.sink.i6.i, %B808.endif.endif.endif.i ], [ 0, %B786.i ], [ 0, %B562.i ], [ %.56.i44.sink.i6.i, %B168.i.i ]
  %gep618.i = getelementptr i64, ptr %invariant.gep615.i, i64 %.269.i
  store i64 %low.2.4.ph.i, ptr %gep618.i, align 8
  %.1165.c.i = getelementptr i8, ptr %gep618.i, i64 8
  store i64 %high.2.4.ph.i, ptr %.1165.c.i, align 8
  br label %B1156.i

B1156.i:                                          ; preds = %B1154.critedge577.i, %B1154.critedge575.i, %B1154.critedge.i, %B1146.i, %B1066.i, %B684.i
  %"$phi1156.0.2.3.i" = phi i8 [ 1, %B1146.i ], [ %spec.select.i, %B1066.i ], [ 1, %B684.i ], [ 0, %B1154.critedge577.i ], [ 0, %B1154.critedge575.i ], [ 0, %B1154.critedge.i ]
  store i8 %"$phi1156.0.2.3.i", ptr %lsr.iv24.i, align 1
  %scevgep25.i = getelementptr i8, ptr %lsr.iv24.i, i64 %arg.regular_1
  %scevgep29.i = getelementptr i8, ptr %lsr.iv28.i, i64 %0
  %scevgep32.i = getelementptr i8, ptr %lsr.iv31.i, i64 48
  %lsr.iv.next.i = add i64 %lsr.iv38.i, -1
  %exitcond.not.i = icmp eq i64 %lsr.iv.next.i, 0
  br i1 %exitcond.not.i, label %B1202.loopexit.i, label %B164.i

B1202.loopexit.i:                                 ; preds = %B1156.i
  %.1250.i = add nuw i64 %row.2.0.i, 1
  %scevgep.i = getelementptr i8, ptr %lsr.iv.i, i64 1
  %scevgep27.i = getelementptr i8, ptr %lsr.iv26.i, i64 8
  %exitcond602.not.i = icmp eq i64 %.1250.i, %arg.items_1
  br i1 %exitcond602.not.i, label %read_bounds.exit, label %B136.i

B30.i.i:                                          ; preds = %load_decimal.exit.i, %B354.epil.preheader.i.i, %B354.preheader5.new.i.i, %B328.i.i
  %.56.i44.sink.i6.i = phi i64 [ %.56.i44.sink.i.i, %load_decimal.exit.i ], [ %.282.3.epil.i.i, %B354.epil.preheader.i.i ], [ %.282.3.1.i.i, %B354.preheader5.new.i.i ], [ %spec.select.i.i, %B328.i.i ]
  %spec.select.sink.i4.i = phi i64 [ %spec.select.sink.i.i, %load_decimal.exit.i ], [ %spec.select.i.i, %B354.epil.preheader.i.i ], [ %spec.select.i.i, %B354.preheader5.new.i.i ], [ %spec.select.i.i, %B328.i.i ]
  %.92.i.i = getelementptr i8, ptr %.50.i.i, i64 1
  %.93.i.i = load i8, ptr %.92.i.i, align 1
  switch i8 %.51.i.i, label %B972.i [
    i8 0, label %B168.i.i
    i8 -1, label %B808.endif.endif.endif.i
  ]

B168.i.i:                                         ; preds = %B30.i.i
  %.111.i.i = icmp sgt i8 %.93.i.i, -1
  br i1 %.111.i.i, label %B1154.critedge577.i, label %B972.i

B808.endif.endif.endif.i:                         ; preds = %B30.i.i
  %.124.i.i = icmp slt i8 %.93.i.i, 0
  br i1 %.124.i.i, label %B1154.critedge577.i, label %B972.i

read_bounds.exit: ; preds = %B1202.loopexit.i, %B0.endif.endif.endif.endif.endif.endif.endif
  store i64 0, ptr %retptr, align 8
  ret i32 0
}

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }

