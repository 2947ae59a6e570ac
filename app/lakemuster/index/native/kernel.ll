; Made by scripts/kernels.py with numba 0.68.1 on Python 3.11; not to be edited.
; kernel.py: 105673788df1ab36c01373c5d5570d2e7be35d87dc0d55ac2f57ff9cb3421518

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local noundef range(i32 -1, -2) i32 @lakemuster_zones_of(ptr noalias writeonly captures(none) %retptr, ptr noalias readnone captures(none) %excinfo, ptr readonly captures(none) %arg.octets, i64 %arg.octets_0, ptr readonly captures(none) %arg.ints, i64 %arg.ints_0, ptr readonly captures(none) %arg.longs, i64 %arg.longs_0, ptr readonly captures(none) %arg.columns, i64 %arg.columns_0, ptr readonly captures(none) %arg.bounds, i64 %arg.bounds_0, ptr readonly captures(none) %arg.totals, i64 %arg.totals_0, ptr readonly captures(none) %arg.starts, i64 %arg.starts_0, ptr writeonly captures(none) %arg.found_octets, i64 %arg.found_octets_0, ptr writeonly captures(none) %arg.found_ints, i64 %arg.found_ints_0, ptr writeonly captures(none) %arg.found_longs, i64 %arg.found_longs_0, ptr writeonly captures(none) %arg.unknown, i64 %arg.unknown_0, i64 %arg.unknown_1) local_unnamed_addr #0 {
B0.endif.endif.endif.endi...endif.1.endif:
  %.192.i = add i64 %arg.starts_0, -1
  %.212.not.i = icmp eq i64 %arg.totals_0, 0
  br i1 %.212.not.i, label %B492.i, label %B154.preheader.i

B154.preheader.i:                                 ; preds = %B0.endif.endif.endif.endi...endif.1.endif
  %.273.not.i = icmp eq i64 %.192.i, 0
  br i1 %.273.not.i, label %zones_of.exit, label %B154.i

B154.i:                                           ; preds = %B154.preheader.i, %B408.loopexit.i
  %number.3.0.i = phi i64 [ %.515.i, %B408.loopexit.i ], [ 0, %B154.preheader.i ]
  %.idx.i = mul i64 %number.3.0.i, 24
  %0 = getelementptr i8, ptr %arg.totals, i64 %.idx.i
  %.262.i = getelementptr i8, ptr %0, i64 16
  %.263.i = load i64, ptr %.262.i, align 8
  %1 = getelementptr i64, ptr %arg.found_longs, i64 %.263.i
  %sunkaddr63.i = getelementptr i8, ptr %0, i64 8
  br label %B210.i

B210.i:                                           ; preds = %sum_of.exit.i, %B154.i
  %zone.4.1.i = phi i64 [ %.354.i, %sum_of.exit.i ], [ 0, %B154.i ]
  %.322.i = load i64, ptr %0, align 8
  %sunkaddr56.i = shl i64 %zone.4.1.i, 3
  %sunkaddr57.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr56.i
  %.352.i = load i64, ptr %sunkaddr57.i, align 8
  %sunkaddr60.i = getelementptr i8, ptr %sunkaddr57.i, i64 8
  %.381.i = load i64, ptr %sunkaddr60.i, align 8
  %.428.i = load i64, ptr %sunkaddr63.i, align 8
  %.431.i = icmp ne i64 %.428.i, 0
  %.idx.i.i = mul i64 %.322.i, 40
  %2 = getelementptr i8, ptr %arg.columns, i64 %.idx.i.i
  %.132.i.i = getelementptr i8, ptr %2, i64 24
  %.133.i.i = load i64, ptr %.132.i.i, align 8
  %.181.i.i = getelementptr i8, ptr %2, i64 8
  %.182.i.i = load i64, ptr %.181.i.i, align 8
  %.276.i.i = load i64, ptr %2, align 8
  %.279.not.i.i = icmp eq i64 %.276.i.i, -1
  %3 = icmp ugt i64 %.381.i, %.352.i
  br i1 %.279.not.i.i, label %B306.i.i, label %B160.i.i

B160.i.i:                                         ; preds = %B210.i
  br i1 %3, label %has.exit.i.preheader.i.i, label %sum_of.exit.i

has.exit.i.preheader.i.i: ; preds = %B160.i.i
  %4 = getelementptr i8, ptr %arg.octets, i64 %.182.i.i
  %.308.i.i.i.i = lshr i64 %.182.i.i, 2
  %5 = getelementptr i32, ptr %arg.ints, i64 %.308.i.i.i.i
  %.353.i.i.i.i = icmp eq i64 %.133.i.i, 4
  %.249.i.i.i.i = lshr i64 %.182.i.i, 3
  %6 = getelementptr i64, ptr %arg.longs, i64 %.249.i.i.i.i
  br label %has.exit.i.i.i

has.exit.i.i.i: ; preds = %count_of.exit.i.i, %has.exit.i.preheader.i.i
  %row.6.0.i.i = phi i64 [ %.402.i.i, %count_of.exit.i.i ], [ %.352.i, %has.exit.i.preheader.i.i ]
  %total.6.0.i.i = phi i64 [ %.369.i.i, %count_of.exit.i.i ], [ 0, %has.exit.i.preheader.i.i ]
  %seen.6.0.i.i = phi i64 [ %.371.i.i, %count_of.exit.i.i ], [ 0, %has.exit.i.preheader.i.i ]
  %least.6.0.i.i = phi i64 [ %.13.i13.i.i, %count_of.exit.i.i ], [ -1, %has.exit.i.preheader.i.i ]
  %.173.i.i.i.i = add i64 %row.6.0.i.i, %.276.i.i
  %.176.i.i.i.i = lshr i64 %.173.i.i.i.i, 3
  %.202.i.i.i.i = getelementptr i8, ptr %arg.octets, i64 %.176.i.i.i.i
  %.203.i.i.i.i = load i8, ptr %.202.i.i.i.i, align 1
  %.209.i.i.i.i = zext i8 %.203.i.i.i.i to i64
  %.210.i.i.i.i = and i64 %.173.i.i.i.i, 7
  %7 = shl nuw nsw i64 1, %.210.i.i.i.i
  %8 = and i64 %7, %.209.i.i.i.i
  %.100.i.i.i = icmp eq i64 %8, 0
  br i1 %.100.i.i.i, label %count_of.exit.i.i, label %B40.i.i.i

B40.i.i.i:                                        ; preds = %has.exit.i.i.i
  switch i64 %.133.i.i, label %B772.endif.i.i.i.i [
    i64 3, label %B108.i.i.i.i
    i64 5, label %B108.i.i.i.i
    i64 7, label %B194.i.i.i.i
    i64 2, label %B318.i.i.i.i
    i64 4, label %B318.i.i.i.i
    i64 6, label %B514.i.i.i.i
    i64 0, label %B670.endif.i.i.i.i
  ]

B108.i.i.i.i:                                     ; preds = %B40.i.i.i, %B40.i.i.i
  %.224.i.i.i.i = getelementptr i64, ptr %6, i64 %row.6.0.i.i
  %.225.i.i.i.i = load i64, ptr %.224.i.i.i.i, align 8
  br label %count_of.exit.i.i

B194.i.i.i.i:                                     ; preds = %B40.i.i.i
  %.282.idx.i.i.i.i = shl i64 %row.6.0.i.i, 4
  %.282.i.i.i.i = getelementptr i8, ptr %6, i64 %.282.idx.i.i.i.i
  %.283.i.i.i.i = load i64, ptr %.282.i.i.i.i, align 8
  br label %count_of.exit.i.i

B318.i.i.i.i:                                     ; preds = %B40.i.i.i, %B40.i.i.i
  %.340.i.i.i.i = getelementptr i32, ptr %5, i64 %row.6.0.i.i
  %.341.i.i.i.i = load i32, ptr %.340.i.i.i.i, align 4
  %.347.i.i.i.i = zext i32 %.341.i.i.i.i to i64
  %.348.i.i.i.i = shl nuw i64 %.347.i.i.i.i, 32
  %.10.i.i.i.i.i = icmp slt i64 %.348.i.i.i.i, 0
  %"$phi82.1.2.0.i.i.i.i.i" = select i1 %.10.i.i.i.i.i, i64 -4294967296, i64 0
  %.31.i.i.i.i.i = or disjoint i64 %"$phi82.1.2.0.i.i.i.i.i", %.347.i.i.i.i
  %"$phi490.0.2.0.i.i.i.i" = select i1 %.353.i.i.i.i, i64 %.348.i.i.i.i, i64 %.31.i.i.i.i.i
  br label %count_of.exit.i.i

B514.i.i.i.i:                                     ; preds = %B40.i.i.i
  %.414.i.i.i.i = add i64 %row.6.0.i.i, %.182.i.i
  %.415.i.i.i.i = lshr i64 %.414.i.i.i.i, 3
  %.441.i.i.i.i = getelementptr i8, ptr %arg.octets, i64 %.415.i.i.i.i
  %.442.i.i.i.i = load i8, ptr %.441.i.i.i.i, align 1
  %.448.i.i.i.i = zext i8 %.442.i.i.i.i to i64
  %.456.i.i.i.i = and i64 %.414.i.i.i.i, 7
  %.457.i.i.i.i = lshr i64 %.448.i.i.i.i, %.456.i.i.i.i
  %.458.i.i.i.i = and i64 %.457.i.i.i.i, 1
  br label %count_of.exit.i.i

B670.endif.i.i.i.i:                               ; preds = %B40.i.i.i
  %.499.i.i.i.i = getelementptr i8, ptr %4, i64 %row.6.0.i.i
  %.500.i.i.i.i = load i8, ptr %.499.i.i.i.i, align 1
  %.506.i.i.i.i = zext i8 %.500.i.i.i.i to i64
  %.10.i1.not.i.i.i.i = icmp sgt i8 %.500.i.i.i.i, -1
  %"$phi82.1.2.0.i2.i.i.i.i" = select i1 %.10.i1.not.i.i.i.i, i64 0, i64 -256
  %.31.i3.i.i.i.i = or disjoint i64 %"$phi82.1.2.0.i2.i.i.i.i", %.506.i.i.i.i
  br label %count_of.exit.i.i

B772.endif.i.i.i.i:                               ; preds = %B40.i.i.i
  %.536.i.i.i.i = shl i64 %row.6.0.i.i, 1
  %.564.i.i.i.i = getelementptr i8, ptr %4, i64 %.536.i.i.i.i
  %.565.i.i.i.i = load i16, ptr %.564.i.i.i.i, align 1
  %9 = zext i16 %.565.i.i.i.i to i64
  %.10.i4.not.i.i.i.i = icmp sgt i16 %.565.i.i.i.i, -1
  %"$phi82.1.2.0.i5.i.i.i.i" = select i1 %.10.i4.not.i.i.i.i, i64 0, i64 -65536
  %.31.i6.i.i.i.i = or disjoint i64 %"$phi82.1.2.0.i5.i.i.i.i", %9
  br label %count_of.exit.i.i

count_of.exit.i.i: ; preds = %B772.endif.i.i.i.i, %B670.endif.i.i.i.i, %B514.i.i.i.i, %B318.i.i.i.i, %B194.i.i.i.i, %B108.i.i.i.i, %has.exit.i.i.i
  %"$phi92.0.2.0.i.i.i" = phi i64 [ -1, %has.exit.i.i.i ], [ %.31.i6.i.i.i.i, %B772.endif.i.i.i.i ], [ %.31.i3.i.i.i.i, %B670.endif.i.i.i.i ], [ %.458.i.i.i.i, %B514.i.i.i.i ], [ %"$phi490.0.2.0.i.i.i.i", %B318.i.i.i.i ], [ %.283.i.i.i.i, %B194.i.i.i.i ], [ %.225.i.i.i.i, %B108.i.i.i.i ]
  %.13.i13.i.i = tail call i64 @llvm.umin.i64(i64 %"$phi92.0.2.0.i.i.i", i64 %least.6.0.i.i)
  %.371.i.i = or i64 %"$phi92.0.2.0.i.i.i", %seen.6.0.i.i
  %.369.i.i = add i64 %"$phi92.0.2.0.i.i.i", %total.6.0.i.i
  %.402.i.i = add i64 %row.6.0.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %.381.i, %.402.i.i
  br i1 %exitcond.not.i.i, label %sum_of.exit.i, label %has.exit.i.i.i

B306.i.i:                                         ; preds = %B210.i
  switch i64 %.133.i.i, label %B1012.i.i [
    i64 0, label %B328.i.i
    i64 1, label %B520.i.i
    i64 2, label %B824.i.i
  ]

B328.i.i:                                         ; preds = %B306.i.i
  br i1 %3, label %B340.preheader.i.i, label %sum_of.exit.i

B340.preheader.i.i:                               ; preds = %B328.i.i
  %10 = getelementptr i8, ptr %arg.octets, i64 %.182.i.i
  %11 = sub nuw i64 %.381.i, %.352.i
  %.neg87.i.i = add nuw i64 %.352.i, 1
  %12 = icmp eq i64 %.381.i, %.neg87.i.i
  br i1 %12, label %B340.endif.epil.preheader.i.i, label %B340.preheader.new.i.i

B340.preheader.new.i.i:                           ; preds = %B340.preheader.i.i
  %unroll_iter85.i.i = and i64 %11, -2
  %13 = add i64 %11, -2
  %14 = lshr i64 %13, 1
  %15 = icmp eq i64 %14, 0
  br i1 %15, label %B340.endif.epil.preheader75.i.i, label %B340.preheader.new.new.i.i

B340.preheader.new.new.i.i:                       ; preds = %B340.preheader.new.i.i
  %16 = add nuw i64 %14, 1
  %scevgep110.i.i = getelementptr i8, ptr %10, i64 3
  %17 = lshr i64 %16, 1
  %18 = mul nsw i64 %17, -2
  br label %B340.endif.i.i

B520.i.i:                                         ; preds = %B306.i.i
  br i1 %3, label %B532.preheader.i.i, label %sum_of.exit.i

B532.preheader.i.i:                               ; preds = %B520.i.i
  %invariant.gep.i.i = getelementptr i8, ptr %arg.octets, i64 %.182.i.i
  %19 = sub nuw i64 %.381.i, %.352.i
  %.neg.i.i = add nuw i64 %.352.i, 1
  %20 = icmp eq i64 %.381.i, %.neg.i.i
  br i1 %20, label %B532.endif.epil.preheader.i.i, label %B532.preheader.new.i.i

B532.preheader.new.i.i:                           ; preds = %B532.preheader.i.i
  %unroll_iter.i.i = and i64 %19, -2
  %21 = shl i64 %.352.i, 1
  %22 = getelementptr i8, ptr %invariant.gep.i.i, i64 %21
  %scevgep126.i.i = getelementptr i8, ptr %22, i64 3
  br label %B532.endif.i.i

B824.i.i:                                         ; preds = %B306.i.i
  br i1 %3, label %B856.preheader.i.i, label %sum_of.exit.i

B856.preheader.i.i:                               ; preds = %B824.i.i
  %.984.i.i = lshr i64 %.182.i.i, 2
  %23 = getelementptr i32, ptr %arg.ints, i64 %.984.i.i
  %24 = sub nuw i64 %.381.i, %.352.i
  %min.iters.check36.i.i = icmp ult i64 %24, 4
  br i1 %min.iters.check36.i.i, label %B856.endif.i.i.preheader, label %vector.ph37.i.i

B856.endif.i.i.preheader:                         ; preds = %middle.block52.i.i, %B856.preheader.i.i
  %row.9.0.i.i.ph = phi i64 [ %41, %middle.block52.i.i ], [ %.352.i, %B856.preheader.i.i ]
  %total.9.0.i.i.ph = phi i64 [ %42, %middle.block52.i.i ], [ 0, %B856.preheader.i.i ]
  %seen.9.0.i.i.ph = phi i64 [ %43, %middle.block52.i.i ], [ 0, %B856.preheader.i.i ]
  %least.9.0.i.i.ph = phi i64 [ %44, %middle.block52.i.i ], [ -1, %B856.preheader.i.i ]
  br label %B856.endif.i.i

vector.ph37.i.i:                                  ; preds = %B856.preheader.i.i
  %n.vec39.i.i = and i64 %24, -4
  %25 = shl i64 %.352.i, 2
  %26 = and i64 %.182.i.i, -4
  %27 = getelementptr i8, ptr %arg.ints, i64 %25
  %28 = getelementptr i8, ptr %27, i64 %26
  %scevgep100.i.i = getelementptr i8, ptr %28, i64 8
  br label %vector.body40.i.i

vector.body40.i.i:                                ; preds = %vector.body40.i.i, %vector.ph37.i.i
  %index41.i.i = phi i64 [ 0, %vector.ph37.i.i ], [ %index.next51.i.i, %vector.body40.i.i ]
  %vec.phi42.i.i = phi <2 x i64> [ zeroinitializer, %vector.ph37.i.i ], [ %38, %vector.body40.i.i ]
  %vec.phi43.i.i = phi <2 x i64> [ zeroinitializer, %vector.ph37.i.i ], [ %39, %vector.body40.i.i ]
  %vec.phi44.i.i = phi <2 x i64> [ zeroinitializer, %vector.ph37.i.i ], [ %36, %vector.body40.i.i ]
  %vec.phi45.i.i = phi <2 x i64> [ zeroinitializer, %vector.ph37.i.i ], [ %37, %vector.body40.i.i ]
  %vec.phi46.i.i = phi <2 x i64> [ splat (i64 -1), %vector.ph37.i.i ], [ %32, %vector.body40.i.i ]
  %vec.phi47.i.i = phi <2 x i64> [ splat (i64 -1), %vector.ph37.i.i ], [ %33, %vector.body40.i.i ]
  %29 = shl i64 %index41.i.i, 2
  %scevgep102.i.i = getelementptr i8, ptr %scevgep100.i.i, i64 %29
  %scevgep103.i.i = getelementptr i8, ptr %scevgep102.i.i, i64 -8
  %wide.load49.i.i = load <2 x i32>, ptr %scevgep103.i.i, align 4
  %wide.load50.i.i = load <2 x i32>, ptr %scevgep102.i.i, align 4
  %30 = zext <2 x i32> %wide.load49.i.i to <2 x i64>
  %31 = zext <2 x i32> %wide.load50.i.i to <2 x i64>
  %32 = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %30, <2 x i64> %vec.phi46.i.i)
  %33 = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %31, <2 x i64> %vec.phi47.i.i)
  %34 = shl nuw <2 x i64> %30, splat (i64 32)
  %35 = shl nuw <2 x i64> %31, splat (i64 32)
  %36 = or <2 x i64> %34, %vec.phi44.i.i
  %37 = or <2 x i64> %35, %vec.phi45.i.i
  %38 = add <2 x i64> %vec.phi42.i.i, %30
  %39 = add <2 x i64> %vec.phi43.i.i, %31
  %index.next51.i.i = add nuw i64 %index41.i.i, 4
  %40 = icmp eq i64 %n.vec39.i.i, %index.next51.i.i
  br i1 %40, label %middle.block52.i.i, label %vector.body40.i.i

middle.block52.i.i:                               ; preds = %vector.body40.i.i
  %41 = add i64 %n.vec39.i.i, %.352.i
  %bin.rdx53.i.i = add <2 x i64> %39, %38
  %rdx.shuf.i.i = shufflevector <2 x i64> %bin.rdx53.i.i, <2 x i64> poison, <2 x i32> <i32 1, i32 poison>
  %bin.rdx123.i.i = add <2 x i64> %rdx.shuf.i.i, %bin.rdx53.i.i
  %42 = extractelement <2 x i64> %bin.rdx123.i.i, i64 0
  %bin.rdx54.i.i = or <2 x i64> %37, %36
  %rdx.shuf124.i.i = shufflevector <2 x i64> %bin.rdx54.i.i, <2 x i64> poison, <2 x i32> <i32 1, i32 poison>
  %bin.rdx125.i.i = or <2 x i64> %rdx.shuf124.i.i, %bin.rdx54.i.i
  %43 = extractelement <2 x i64> %bin.rdx125.i.i, i64 0
  %rdx.minmax55.i.i = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %32, <2 x i64> %33)
  %rdx.shuf126.i.i = shufflevector <2 x i64> %rdx.minmax55.i.i, <2 x i64> poison, <2 x i32> <i32 1, i32 poison>
  %rdx.minmax127.i.i = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %rdx.minmax55.i.i, <2 x i64> %rdx.shuf126.i.i)
  %44 = extractelement <2 x i64> %rdx.minmax127.i.i, i64 0
  %cmp.n56.i.i = icmp eq i64 %24, %n.vec39.i.i
  br i1 %cmp.n56.i.i, label %sum_of.exit.i, label %B856.endif.i.i.preheader

B1012.i.i:                                        ; preds = %B306.i.i
  br i1 %3, label %B1044.preheader.i.i, label %sum_of.exit.i

B1044.preheader.i.i:                              ; preds = %B1012.i.i
  %.1174.i.i = lshr i64 %.182.i.i, 3
  %45 = getelementptr i64, ptr %arg.longs, i64 %.1174.i.i
  %46 = sub nuw i64 %.381.i, %.352.i
  %min.iters.check.i.i = icmp ult i64 %46, 4
  br i1 %min.iters.check.i.i, label %B1044.endif.i.i.preheader, label %vector.ph.i.i

B1044.endif.i.i.preheader:                        ; preds = %middle.block.i.i, %B1044.preheader.i.i
  %row.10.1.i.i.ph = phi i64 [ %59, %middle.block.i.i ], [ %.352.i, %B1044.preheader.i.i ]
  %total.10.1.i.i.ph = phi i64 [ %60, %middle.block.i.i ], [ 0, %B1044.preheader.i.i ]
  %seen.10.1.i.i.ph = phi i64 [ %61, %middle.block.i.i ], [ 0, %B1044.preheader.i.i ]
  %least.10.1.i.i.ph = phi i64 [ %62, %middle.block.i.i ], [ -1, %B1044.preheader.i.i ]
  br label %B1044.endif.i.i

vector.ph.i.i:                                    ; preds = %B1044.preheader.i.i
  %n.vec.i.i = and i64 %46, -4
  %47 = shl i64 %.352.i, 3
  %48 = and i64 %.182.i.i, -8
  %49 = getelementptr i8, ptr %arg.longs, i64 %47
  %50 = getelementptr i8, ptr %49, i64 %48
  %scevgep105.i.i = getelementptr i8, ptr %50, i64 16
  br label %vector.body.i.i

vector.body.i.i:                                  ; preds = %vector.body.i.i, %vector.ph.i.i
  %index.i.i = phi i64 [ 0, %vector.ph.i.i ], [ %index.next.i.i, %vector.body.i.i ]
  %vec.phi.i.i = phi <2 x i64> [ zeroinitializer, %vector.ph.i.i ], [ %56, %vector.body.i.i ]
  %vec.phi26.i.i = phi <2 x i64> [ zeroinitializer, %vector.ph.i.i ], [ %57, %vector.body.i.i ]
  %vec.phi27.i.i = phi <2 x i64> [ zeroinitializer, %vector.ph.i.i ], [ %54, %vector.body.i.i ]
  %vec.phi28.i.i = phi <2 x i64> [ zeroinitializer, %vector.ph.i.i ], [ %55, %vector.body.i.i ]
  %vec.phi29.i.i = phi <2 x i64> [ splat (i64 -1), %vector.ph.i.i ], [ %52, %vector.body.i.i ]
  %vec.phi30.i.i = phi <2 x i64> [ splat (i64 -1), %vector.ph.i.i ], [ %53, %vector.body.i.i ]
  %51 = shl i64 %index.i.i, 3
  %scevgep107.i.i = getelementptr i8, ptr %scevgep105.i.i, i64 %51
  %scevgep108.i.i = getelementptr i8, ptr %scevgep107.i.i, i64 -16
  %wide.load.i.i = load <2 x i64>, ptr %scevgep108.i.i, align 8
  %wide.load31.i.i = load <2 x i64>, ptr %scevgep107.i.i, align 8
  %52 = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %wide.load.i.i, <2 x i64> %vec.phi29.i.i)
  %53 = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %wide.load31.i.i, <2 x i64> %vec.phi30.i.i)
  %54 = or <2 x i64> %wide.load.i.i, %vec.phi27.i.i
  %55 = or <2 x i64> %wide.load31.i.i, %vec.phi28.i.i
  %56 = add <2 x i64> %wide.load.i.i, %vec.phi.i.i
  %57 = add <2 x i64> %wide.load31.i.i, %vec.phi26.i.i
  %index.next.i.i = add nuw i64 %index.i.i, 4
  %58 = icmp eq i64 %n.vec.i.i, %index.next.i.i
  br i1 %58, label %middle.block.i.i, label %vector.body.i.i

middle.block.i.i:                                 ; preds = %vector.body.i.i
  %59 = add i64 %n.vec.i.i, %.352.i
  %bin.rdx.i.i = add <2 x i64> %57, %56
  %rdx.shuf128.i.i = shufflevector <2 x i64> %bin.rdx.i.i, <2 x i64> poison, <2 x i32> <i32 1, i32 poison>
  %bin.rdx129.i.i = add <2 x i64> %rdx.shuf128.i.i, %bin.rdx.i.i
  %60 = extractelement <2 x i64> %bin.rdx129.i.i, i64 0
  %bin.rdx32.i.i = or <2 x i64> %55, %54
  %rdx.shuf130.i.i = shufflevector <2 x i64> %bin.rdx32.i.i, <2 x i64> poison, <2 x i32> <i32 1, i32 poison>
  %bin.rdx131.i.i = or <2 x i64> %rdx.shuf130.i.i, %bin.rdx32.i.i
  %61 = extractelement <2 x i64> %bin.rdx131.i.i, i64 0
  %rdx.minmax.i.i = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %52, <2 x i64> %53)
  %rdx.shuf132.i.i = shufflevector <2 x i64> %rdx.minmax.i.i, <2 x i64> poison, <2 x i32> <i32 1, i32 poison>
  %rdx.minmax133.i.i = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %rdx.minmax.i.i, <2 x i64> %rdx.shuf132.i.i)
  %62 = extractelement <2 x i64> %rdx.minmax133.i.i, i64 0
  %cmp.n.i.i = icmp eq i64 %46, %n.vec.i.i
  br i1 %cmp.n.i.i, label %sum_of.exit.i, label %B1044.endif.i.i.preheader

B1156.sink.split.loopexit72.unr-lcssa.unr-lcssa.i.i: ; preds = %B340.endif.i.i
  %63 = and i64 %13, 2
  %lcmp.mod.not94.not.i.i = icmp eq i64 %63, 0
  br i1 %lcmp.mod.not94.not.i.i, label %B340.endif.epil.preheader75.i.i, label %B1156.sink.split.loopexit72.unr-lcssa.i.i

B340.endif.epil.preheader75.i.i:                  ; preds = %B1156.sink.split.loopexit72.unr-lcssa.unr-lcssa.i.i, %B340.preheader.new.i.i
  %row.7.0.epil.init80.i.i = phi i64 [ %.352.i, %B340.preheader.new.i.i ], [ %.627.1.1.i.i, %B1156.sink.split.loopexit72.unr-lcssa.unr-lcssa.i.i ]
  %total.7.0.epil.init81.i.i = phi i64 [ 0, %B340.preheader.new.i.i ], [ %.593.1.1.i.i, %B1156.sink.split.loopexit72.unr-lcssa.unr-lcssa.i.i ]
  %seen.7.0.epil.init82.i.i = phi i64 [ 0, %B340.preheader.new.i.i ], [ %.596.1.1.i.i, %B1156.sink.split.loopexit72.unr-lcssa.unr-lcssa.i.i ]
  %least.7.0.epil.init83.i.i = phi i64 [ -1, %B340.preheader.new.i.i ], [ %.13.i.1.1.i.i, %B1156.sink.split.loopexit72.unr-lcssa.unr-lcssa.i.i ]
  %sunkaddr.i.i = getelementptr i8, ptr %10, i64 %row.7.0.epil.init80.i.i
  %.590.epil76.i.i = load i8, ptr %sunkaddr.i.i, align 1
  %.591.epil77.i.i = zext i8 %.590.epil76.i.i to i64
  %.13.i.epil78.i.i = tail call i64 @llvm.umin.i64(i64 %.591.epil77.i.i, i64 %least.7.0.epil.init83.i.i)
  %.593.epil79.i.i = add i64 %total.7.0.epil.init81.i.i, %.591.epil77.i.i
  %sunkaddr133.i.i = getelementptr i8, ptr %sunkaddr.i.i, i64 1
  %.590.1.epil.i.i = load i8, ptr %sunkaddr133.i.i, align 1
  %.591.1.epil.i.i = zext i8 %.590.1.epil.i.i to i64
  %.13.i.1.epil.i.i = tail call i64 @llvm.umin.i64(i64 %.591.1.epil.i.i, i64 %.13.i.epil78.i.i)
  %64 = or i64 %.591.1.epil.i.i, %.591.epil77.i.i
  %65 = shl nuw i64 %64, 56
  %.596.1.epil.i.i = or i64 %65, %seen.7.0.epil.init82.i.i
  %.593.1.epil.i.i = add i64 %.593.epil79.i.i, %.591.1.epil.i.i
  br label %B1156.sink.split.loopexit72.unr-lcssa.i.i

B1156.sink.split.loopexit72.unr-lcssa.i.i:        ; preds = %B340.endif.epil.preheader75.i.i, %B1156.sink.split.loopexit72.unr-lcssa.unr-lcssa.i.i
  %.13.i.1.lcssa.i.i = phi i64 [ %.13.i.1.1.i.i, %B1156.sink.split.loopexit72.unr-lcssa.unr-lcssa.i.i ], [ %.13.i.1.epil.i.i, %B340.endif.epil.preheader75.i.i ]
  %.596.1.lcssa.i.i = phi i64 [ %.596.1.1.i.i, %B1156.sink.split.loopexit72.unr-lcssa.unr-lcssa.i.i ], [ %.596.1.epil.i.i, %B340.endif.epil.preheader75.i.i ]
  %.593.1.lcssa.i.i = phi i64 [ %.593.1.1.i.i, %B1156.sink.split.loopexit72.unr-lcssa.unr-lcssa.i.i ], [ %.593.1.epil.i.i, %B340.endif.epil.preheader75.i.i ]
  %66 = add i64 %unroll_iter85.i.i, %.352.i
  %67 = and i64 %11, 1
  %lcmp.mod80.not.i.i = icmp eq i64 %67, 0
  br i1 %lcmp.mod80.not.i.i, label %sum_of.exit.i, label %B340.endif.epil.preheader.i.i

B340.endif.epil.preheader.i.i:                    ; preds = %B1156.sink.split.loopexit72.unr-lcssa.i.i, %B340.preheader.i.i
  %row.7.0.epil.init.i.i = phi i64 [ %.352.i, %B340.preheader.i.i ], [ %66, %B1156.sink.split.loopexit72.unr-lcssa.i.i ]
  %total.7.0.epil.init.i.i = phi i64 [ 0, %B340.preheader.i.i ], [ %.593.1.lcssa.i.i, %B1156.sink.split.loopexit72.unr-lcssa.i.i ]
  %seen.7.0.epil.init.i.i = phi i64 [ 0, %B340.preheader.i.i ], [ %.596.1.lcssa.i.i, %B1156.sink.split.loopexit72.unr-lcssa.i.i ]
  %least.7.0.epil.init.i.i = phi i64 [ -1, %B340.preheader.i.i ], [ %.13.i.1.lcssa.i.i, %B1156.sink.split.loopexit72.unr-lcssa.i.i ]
  %.589.epil.i.i = getelementptr i8, ptr %10, i64 %row.7.0.epil.init.i.i
  %.590.epil.i.i = load i8, ptr %.589.epil.i.i, align 1
  %.591.epil.i.i = zext i8 %.590.epil.i.i to i64
  %.13.i.epil.i.i = tail call i64 @llvm.umin.i64(i64 %.591.epil.i.i, i64 %least.7.0.epil.init.i.i)
  %.594.epil.i.i = shl nuw i64 %.591.epil.i.i, 56
  %.596.epil.i.i = or i64 %.594.epil.i.i, %seen.7.0.epil.init.i.i
  %.593.epil.i.i = add i64 %total.7.0.epil.init.i.i, %.591.epil.i.i
  br label %sum_of.exit.i

B1156.sink.split.loopexit73.unr-lcssa.i.i:        ; preds = %B532.endif.i.i
  %68 = add i64 %unroll_iter.i.i, %.352.i
  %69 = and i64 %19, 1
  %lcmp.mod.not.i.i = icmp eq i64 %69, 0
  br i1 %lcmp.mod.not.i.i, label %sum_of.exit.i, label %B532.endif.epil.preheader.i.i

B532.endif.epil.preheader.i.i:                    ; preds = %B1156.sink.split.loopexit73.unr-lcssa.i.i, %B532.preheader.i.i
  %row.8.0.epil.init.i.i = phi i64 [ %.352.i, %B532.preheader.i.i ], [ %68, %B1156.sink.split.loopexit73.unr-lcssa.i.i ]
  %total.8.0.epil.init.i.i = phi i64 [ 0, %B532.preheader.i.i ], [ %.825.1.i.i, %B1156.sink.split.loopexit73.unr-lcssa.i.i ]
  %seen.8.0.epil.init.i.i = phi i64 [ 0, %B532.preheader.i.i ], [ %.828.1.i.i, %B1156.sink.split.loopexit73.unr-lcssa.i.i ]
  %least.8.0.epil.init.i.i = phi i64 [ -1, %B532.preheader.i.i ], [ %.13.i10.1.i.i, %B1156.sink.split.loopexit73.unr-lcssa.i.i ]
  %.758.epil.i.i = shl i64 %row.8.0.epil.init.i.i, 1
  %gep.epil.i.i = getelementptr i8, ptr %invariant.gep.i.i, i64 %.758.epil.i.i
  %.787.epil.i.i = load i8, ptr %gep.epil.i.i, align 1
  %.788.epil.i.i = zext i8 %.787.epil.i.i to i64
  %.819.epil.i.i = getelementptr i8, ptr %gep.epil.i.i, i64 1
  %.820.epil.i.i = load i8, ptr %.819.epil.i.i, align 1
  %.821.epil.i.i = zext i8 %.820.epil.i.i to i64
  %.822.epil.i.i = shl nuw nsw i64 %.821.epil.i.i, 8
  %.823.epil.i.i = or disjoint i64 %.822.epil.i.i, %.788.epil.i.i
  %.13.i10.epil.i.i = tail call i64 @llvm.umin.i64(i64 %.823.epil.i.i, i64 %least.8.0.epil.init.i.i)
  %.826.epil.i.i = shl nuw i64 %.823.epil.i.i, 48
  %.828.epil.i.i = or i64 %.826.epil.i.i, %seen.8.0.epil.init.i.i
  %.825.epil.i.i = add i64 %.823.epil.i.i, %total.8.0.epil.init.i.i
  br label %sum_of.exit.i

B340.endif.i.i:                                   ; preds = %B340.endif.i.i, %B340.preheader.new.new.i.i
  %lsr.iv89.i.i = phi i64 [ %lsr.iv.next90.i.i, %B340.endif.i.i ], [ %18, %B340.preheader.new.new.i.i ]
  %row.7.0.i.i = phi i64 [ %.627.1.1.i.i, %B340.endif.i.i ], [ %.352.i, %B340.preheader.new.new.i.i ]
  %total.7.0.i.i = phi i64 [ %.593.1.1.i.i, %B340.endif.i.i ], [ 0, %B340.preheader.new.new.i.i ]
  %seen.7.0.i.i = phi i64 [ %.596.1.1.i.i, %B340.endif.i.i ], [ 0, %B340.preheader.new.new.i.i ]
  %least.7.0.i.i = phi i64 [ %.13.i.1.1.i.i, %B340.endif.i.i ], [ -1, %B340.preheader.new.new.i.i ]
  %scevgep121.i.i = getelementptr i8, ptr %scevgep110.i.i, i64 %row.7.0.i.i
  %scevgep122.i.i = getelementptr i8, ptr %scevgep121.i.i, i64 -2
  %scevgep123.i.i = getelementptr i8, ptr %scevgep121.i.i, i64 -3
  %.590.i.i = load i8, ptr %scevgep123.i.i, align 1
  %.591.i.i = zext i8 %.590.i.i to i64
  %.13.i.i.i = tail call i64 @llvm.umin.i64(i64 %.591.i.i, i64 %least.7.0.i.i)
  %.593.i.i = add i64 %total.7.0.i.i, %.591.i.i
  %.590.1.i.i = load i8, ptr %scevgep122.i.i, align 1
  %.591.1.i.i = zext i8 %.590.1.i.i to i64
  %.13.i.1.i.i = tail call i64 @llvm.umin.i64(i64 %.591.1.i.i, i64 %.13.i.i.i)
  %.593.1.i.i = add i64 %.593.i.i, %.591.1.i.i
  %scevgep92.i.i = getelementptr i8, ptr %scevgep121.i.i, i64 -1
  %.590.189.i.i = load i8, ptr %scevgep92.i.i, align 1
  %.591.190.i.i = zext i8 %.590.189.i.i to i64
  %.13.i.191.i.i = tail call i64 @llvm.umin.i64(i64 %.591.190.i.i, i64 %.13.i.1.i.i)
  %.593.192.i.i = add i64 %.593.1.i.i, %.591.190.i.i
  %.590.1.1.i.i = load i8, ptr %scevgep121.i.i, align 1
  %.591.1.1.i.i = zext i8 %.590.1.1.i.i to i64
  %.13.i.1.1.i.i = tail call i64 @llvm.umin.i64(i64 %.591.1.1.i.i, i64 %.13.i.191.i.i)
  %70 = or i64 %.591.1.i.i, %.591.i.i
  %71 = or i64 %70, %.591.190.i.i
  %72 = or i64 %71, %.591.1.1.i.i
  %73 = shl nuw i64 %72, 56
  %.596.1.1.i.i = or i64 %73, %seen.7.0.i.i
  %.593.1.1.i.i = add i64 %.593.192.i.i, %.591.1.1.i.i
  %.627.1.1.i.i = add i64 %row.7.0.i.i, 4
  %lsr.iv.next90.i.i = add i64 %lsr.iv89.i.i, 2
  %niter.ncmp.193.i.i = icmp eq i64 %lsr.iv.next90.i.i, 0
  br i1 %niter.ncmp.193.i.i, label %B1156.sink.split.loopexit72.unr-lcssa.unr-lcssa.i.i, label %B340.endif.i.i

B532.endif.i.i:                                   ; preds = %B532.endif.i.i, %B532.preheader.new.i.i
  %lsr.iv124.i.i = phi i64 [ %lsr.iv.next125.i.i, %B532.endif.i.i ], [ 0, %B532.preheader.new.i.i ]
  %total.8.0.i.i = phi i64 [ %.825.1.i.i, %B532.endif.i.i ], [ 0, %B532.preheader.new.i.i ]
  %seen.8.0.i.i = phi i64 [ %.828.1.i.i, %B532.endif.i.i ], [ 0, %B532.preheader.new.i.i ]
  %least.8.0.i.i = phi i64 [ %.13.i10.1.i.i, %B532.endif.i.i ], [ -1, %B532.preheader.new.i.i ]
  %74 = shl i64 %lsr.iv124.i.i, 1
  %scevgep127.i.i = getelementptr i8, ptr %scevgep126.i.i, i64 %74
  %scevgep131.i.i = getelementptr i8, ptr %scevgep127.i.i, i64 -3
  %.787.i.i = load i8, ptr %scevgep131.i.i, align 1
  %.788.i.i = zext i8 %.787.i.i to i64
  %scevgep130.i.i = getelementptr i8, ptr %scevgep127.i.i, i64 -2
  %.820.i.i = load i8, ptr %scevgep130.i.i, align 1
  %.821.i.i = zext i8 %.820.i.i to i64
  %.822.i.i = shl nuw nsw i64 %.821.i.i, 8
  %.823.i.i = or disjoint i64 %.822.i.i, %.788.i.i
  %.13.i10.i.i = tail call i64 @llvm.umin.i64(i64 %.823.i.i, i64 %least.8.0.i.i)
  %.825.i.i = add i64 %.823.i.i, %total.8.0.i.i
  %scevgep94.i.i = getelementptr i8, ptr %scevgep127.i.i, i64 -1
  %.787.1.i.i = load i8, ptr %scevgep94.i.i, align 1
  %.788.1.i.i = zext i8 %.787.1.i.i to i64
  %.820.1.i.i = load i8, ptr %scevgep127.i.i, align 1
  %.821.1.i.i = zext i8 %.820.1.i.i to i64
  %.822.1.i.i = shl nuw nsw i64 %.821.1.i.i, 8
  %.823.1.i.i = or disjoint i64 %.822.1.i.i, %.788.1.i.i
  %.13.i10.1.i.i = tail call i64 @llvm.umin.i64(i64 %.823.1.i.i, i64 %.13.i10.i.i)
  %75 = or i64 %.823.1.i.i, %.823.i.i
  %76 = shl nuw i64 %75, 48
  %.828.1.i.i = or i64 %76, %seen.8.0.i.i
  %.825.1.i.i = add i64 %.825.i.i, %.823.1.i.i
  %lsr.iv.next125.i.i = add i64 %lsr.iv124.i.i, 2
  %niter.ncmp.1.i.i = icmp eq i64 %unroll_iter.i.i, %lsr.iv.next125.i.i
  br i1 %niter.ncmp.1.i.i, label %B1156.sink.split.loopexit73.unr-lcssa.i.i, label %B532.endif.i.i

B856.endif.i.i:                                   ; preds = %B856.endif.i.i.preheader, %B856.endif.i.i
  %row.9.0.i.i = phi i64 [ %.1062.i.i, %B856.endif.i.i ], [ %row.9.0.i.i.ph, %B856.endif.i.i.preheader ]
  %total.9.0.i.i = phi i64 [ %.1028.i.i, %B856.endif.i.i ], [ %total.9.0.i.i.ph, %B856.endif.i.i.preheader ]
  %seen.9.0.i.i = phi i64 [ %.1031.i.i, %B856.endif.i.i ], [ %seen.9.0.i.i.ph, %B856.endif.i.i.preheader ]
  %least.9.0.i.i = phi i64 [ %.13.i11.i.i, %B856.endif.i.i ], [ %least.9.0.i.i.ph, %B856.endif.i.i.preheader ]
  %77 = shl i64 %row.9.0.i.i, 2
  %scevgep.i.i = getelementptr i8, ptr %23, i64 %77
  %.1025.i.i = load i32, ptr %scevgep.i.i, align 4
  %.1026.i.i = zext i32 %.1025.i.i to i64
  %.13.i11.i.i = tail call i64 @llvm.umin.i64(i64 %.1026.i.i, i64 %least.9.0.i.i)
  %.1029.i.i = shl nuw i64 %.1026.i.i, 32
  %.1031.i.i = or i64 %.1029.i.i, %seen.9.0.i.i
  %.1028.i.i = add i64 %total.9.0.i.i, %.1026.i.i
  %.1062.i.i = add i64 %row.9.0.i.i, 1
  %exitcond561.not.i.i = icmp eq i64 %.381.i, %.1062.i.i
  br i1 %exitcond561.not.i.i, label %sum_of.exit.i, label %B856.endif.i.i

B1044.endif.i.i:                                  ; preds = %B1044.endif.i.i.preheader, %B1044.endif.i.i
  %row.10.1.i.i = phi i64 [ %.1250.i.i, %B1044.endif.i.i ], [ %row.10.1.i.i.ph, %B1044.endif.i.i.preheader ]
  %total.10.1.i.i = phi i64 [ %.1217.i.i, %B1044.endif.i.i ], [ %total.10.1.i.i.ph, %B1044.endif.i.i.preheader ]
  %seen.10.1.i.i = phi i64 [ %.1219.i.i, %B1044.endif.i.i ], [ %seen.10.1.i.i.ph, %B1044.endif.i.i.preheader ]
  %least.10.1.i.i = phi i64 [ %.13.i12.i.i, %B1044.endif.i.i ], [ %least.10.1.i.i.ph, %B1044.endif.i.i.preheader ]
  %78 = shl i64 %row.10.1.i.i, 3
  %scevgep104.i.i = getelementptr i8, ptr %45, i64 %78
  %.1215.i.i = load i64, ptr %scevgep104.i.i, align 8
  %.13.i12.i.i = tail call i64 @llvm.umin.i64(i64 %.1215.i.i, i64 %least.10.1.i.i)
  %.1219.i.i = or i64 %.1215.i.i, %seen.10.1.i.i
  %.1217.i.i = add i64 %.1215.i.i, %total.10.1.i.i
  %.1250.i.i = add i64 %row.10.1.i.i, 1
  %exitcond560.not.i.i = icmp eq i64 %.381.i, %.1250.i.i
  br i1 %exitcond560.not.i.i, label %sum_of.exit.i, label %B1044.endif.i.i

sum_of.exit.i: ; preds = %count_of.exit.i.i, %B856.endif.i.i, %B1044.endif.i.i, %B532.endif.epil.preheader.i.i, %B1156.sink.split.loopexit73.unr-lcssa.i.i, %B340.endif.epil.preheader.i.i, %B1156.sink.split.loopexit72.unr-lcssa.i.i, %middle.block.i.i, %B1012.i.i, %middle.block52.i.i, %B824.i.i, %B520.i.i, %B328.i.i, %B160.i.i
  %total.11.0.i.i = phi i64 [ 0, %B1012.i.i ], [ %.1217.i.i, %B1044.endif.i.i ], [ %60, %middle.block.i.i ], [ 0, %B520.i.i ], [ 0, %B328.i.i ], [ %.1028.i.i, %B856.endif.i.i ], [ %.593.epil.i.i, %B340.endif.epil.preheader.i.i ], [ %42, %middle.block52.i.i ], [ 0, %B824.i.i ], [ %.825.epil.i.i, %B532.endif.epil.preheader.i.i ], [ %.593.1.lcssa.i.i, %B1156.sink.split.loopexit72.unr-lcssa.i.i ], [ %.825.1.i.i, %B1156.sink.split.loopexit73.unr-lcssa.i.i ], [ 0, %B160.i.i ], [ %.369.i.i, %count_of.exit.i.i ]
  %seen.11.0.i.i = phi i64 [ 0, %B1012.i.i ], [ %.1219.i.i, %B1044.endif.i.i ], [ %61, %middle.block.i.i ], [ 0, %B520.i.i ], [ 0, %B328.i.i ], [ %.1031.i.i, %B856.endif.i.i ], [ %.596.epil.i.i, %B340.endif.epil.preheader.i.i ], [ %43, %middle.block52.i.i ], [ 0, %B824.i.i ], [ %.828.epil.i.i, %B532.endif.epil.preheader.i.i ], [ %.596.1.lcssa.i.i, %B1156.sink.split.loopexit72.unr-lcssa.i.i ], [ %.828.1.i.i, %B1156.sink.split.loopexit73.unr-lcssa.i.i ], [ 0, %B160.i.i ], [ %.371.i.i, %count_of.exit.i.i ]
  %least.11.0.i.i = phi i64 [ -1, %B1012.i.i ], [ %.13.i12.i.i, %B1044.endif.i.i ], [ %62, %middle.block.i.i ], [ -1, %B520.i.i ], [ -1, %B328.i.i ], [ %.13.i11.i.i, %B856.endif.i.i ], [ %.13.i.epil.i.i, %B340.endif.epil.preheader.i.i ], [ %44, %middle.block52.i.i ], [ -1, %B824.i.i ], [ %.13.i10.epil.i.i, %B532.endif.epil.preheader.i.i ], [ %.13.i.1.lcssa.i.i, %B1156.sink.split.loopexit72.unr-lcssa.i.i ], [ %.13.i10.1.i.i, %B1156.sink.split.loopexit73.unr-lcssa.i.i ], [ -1, %B160.i.i ], [ %.13.i13.i.i, %count_of.exit.i.i ]
  %.1310.i.i = icmp slt i64 %seen.11.0.i.i, 0
  %.1319.i.i = icmp eq i64 %least.11.0.i.i, 0
  %or.cond.i.i = select i1 %.431.i, i1 %.1319.i.i, i1 false
  %or.cond540.i.i = select i1 %.1310.i.i, i1 true, i1 %or.cond.i.i
  %"$phi1220.0.2.0.i.i" = select i1 %or.cond540.i.i, i64 -1, i64 %total.11.0.i.i
  %.354.i = add nuw i64 %zone.4.1.i, 1
  %scevgep46.i = getelementptr i8, ptr %1, i64 %sunkaddr56.i
  store i64 %"$phi1220.0.2.0.i.i", ptr %scevgep46.i, align 8
  %exitcond.not.i = icmp eq i64 %.192.i, %.354.i
  br i1 %exitcond.not.i, label %B408.loopexit.i, label %B210.i

B408.loopexit.i:                                  ; preds = %sum_of.exit.i
  %.515.i = add nuw i64 %number.3.0.i, 1
  %exitcond712.not.i = icmp eq i64 %.515.i, %arg.totals_0
  br i1 %exitcond712.not.i, label %B492.i, label %B154.i

B492.i:                                           ; preds = %B408.loopexit.i, %B0.endif.endif.endif.endi...endif.1.endif
  %.563.not.i = icmp eq i64 %arg.bounds_0, 0
  %.724.not.i = icmp eq i64 %.192.i, 0
  %or.cond.i = select i1 %.563.not.i, i1 true, i1 %.724.not.i
  br i1 %or.cond.i, label %zones_of.exit, label %B572.preheader41.i

B572.preheader41.i:                               ; preds = %B492.i
  %scevgep.i = getelementptr i8, ptr %arg.found_longs, i64 8
  %sunkaddr68.i = shl i64 %arg.starts_0, 3
  %sunkaddr69.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr68.i
  %sunkaddr70.i = getelementptr i8, ptr %sunkaddr69.i, i64 -8
  br label %B572.i

B572.i:                                           ; preds = %B1476.loopexit.i, %B572.preheader41.i
  %lsr.iv48.i = phi ptr [ %arg.unknown, %B572.preheader41.i ], [ %scevgep49.i, %B1476.loopexit.i ]
  %number.1.2.0.i = phi i64 [ 0, %B572.preheader41.i ], [ %.1366.i, %B1476.loopexit.i ]
  %.idx1.i = mul i64 %number.1.2.0.i, 40
  %79 = getelementptr i8, ptr %arg.bounds, i64 %.idx1.i
  %.613.i = getelementptr i8, ptr %79, i64 16
  %.614.i = load i64, ptr %.613.i, align 8
  %.663.i = load i64, ptr %79, align 8
  %.idx2.i = mul i64 %.663.i, 40
  %80 = getelementptr i8, ptr %arg.columns, i64 %.idx2.i
  %.710.i = getelementptr i8, ptr %80, i64 24
  %.711.i = load i64, ptr %.710.i, align 8
  %.730.i = icmp ugt i64 %.711.i, 7
  %81 = getelementptr i32, ptr %arg.found_ints, i64 %.614.i
  %82 = getelementptr i8, ptr %arg.found_octets, i64 %.614.i
  %83 = getelementptr i64, ptr %arg.found_longs, i64 %.614.i
  br i1 %.730.i, label %B686.us.preheader.i, label %B686.preheader.i

B686.us.preheader.i:                              ; preds = %B572.i
  %.192.i.i = getelementptr i8, ptr %79, i64 8
  %.131.i.i = getelementptr i8, ptr %79, i64 24
  %.178.i.i = getelementptr i8, ptr %79, i64 32
  br label %B686.us.i

B686.preheader.i:                                 ; preds = %B572.i
  %84 = shl i64 %.614.i, 3
  %scevgep43.i = getelementptr i8, ptr %scevgep.i, i64 %84
  %.292.i.i = getelementptr i8, ptr %79, i64 8
  %.131.i112.i = getelementptr i8, ptr %79, i64 24
  %.178.i114.i = getelementptr i8, ptr %79, i64 32
  br label %B686.i

B686.us.i:                                        ; preds = %place_of.exit.i, %B686.us.preheader.i
  %zone.5.1.us.i = phi i64 [ %.1348.us.i, %place_of.exit.i ], [ 0, %B686.us.preheader.i ]
  %sunkaddr.i = shl i64 %zone.5.1.us.i, 3
  %sunkaddr64.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr.i
  %.760.us.i = load i64, ptr %sunkaddr64.i, align 8
  %sunkaddr67.i = getelementptr i8, ptr %sunkaddr64.i, i64 8
  %.789.us.i = load i64, ptr %sunkaddr67.i, align 8
  %.817.us.i = load i64, ptr %sunkaddr70.i, align 8
  %.144.i.i = load i64, ptr %79, align 8
  %.193.i.i = load i64, ptr %.192.i.i, align 8
  %.idx.i3.i = mul i64 %.144.i.i, 40
  %85 = getelementptr i8, ptr %arg.columns, i64 %.idx.i3.i
  %.247.i.i = getelementptr i8, ptr %85, i64 24
  %.248.i.i = load i64, ptr %.247.i.i, align 8
  %.296.i.i = getelementptr i8, ptr %85, i64 8
  %.297.i.i = load i64, ptr %.296.i.i, align 8
  %.345.i.i = getelementptr i8, ptr %85, i64 16
  %.346.i.i = load i64, ptr %.345.i.i, align 8
  %.394.i.i = getelementptr i8, ptr %85, i64 32
  %.395.i.i = load i64, ptr %.394.i.i, align 8
  switch i64 %.248.i.i, label %B332.i.i [
    i64 10, label %B212.i.i
    i64 9, label %B250.i.i
  ]

B212.i.i:                                         ; preds = %B686.us.i
  %.439.i.i = mul i64 %.395.i.i, %.817.us.i
  %.443.i.i = add i64 %.439.i.i, %.297.i.i
  br label %B332.i.i

B250.i.i:                                         ; preds = %B686.us.i
  %.452.i.i = lshr i64 %.297.i.i, 2
  %86 = getelementptr i32, ptr %arg.ints, i64 %.452.i.i
  %.482.i.i = getelementptr i32, ptr %86, i64 %.817.us.i
  %.483.i.i = load i32, ptr %.482.i.i, align 4
  %.484.i.i = zext i32 %.483.i.i to i64
  %.486.i.i = add i64 %.346.i.i, %.484.i.i
  br label %B332.i.i

B332.i.i:                                         ; preds = %B250.i.i, %B212.i.i, %B686.us.i
  %"$phi332.0.3.0.i.i" = phi i64 [ %.443.i.i, %B212.i.i ], [ %.486.i.i, %B250.i.i ], [ 0, %B686.us.i ]
  %.528.i.i = icmp ult i64 %.760.us.i, %.789.us.i
  br i1 %.528.i.i, label %B378.preheader.i.i, label %place_of.exit.i

B378.preheader.i.i:                               ; preds = %B332.i.i
  %.834.i.i = and i64 %.297.i.i, -4
  %.599.i.i = lshr i64 %.297.i.i, 3
  %87 = getelementptr i8, ptr %arg.ints, i64 %.834.i.i
  %scevgep.i4.i = getelementptr i8, ptr %87, i64 4
  %88 = shl i64 %.760.us.i, 1
  %89 = add i64 %.599.i.i, %88
  %90 = mul i64 %.395.i.i, %.760.us.i
  %91 = add i64 %90, %.297.i.i
  %.90.i.i.i = load i64, ptr %85, align 8
  %.93.i.i.i = icmp eq i64 %.90.i.i.i, -1
  %92 = icmp ne i64 %.193.i.i, 0
  br label %B378.i.i

B378.i.i:                                         ; preds = %B1130.i.i, %B378.preheader.i.i
  %lsr.iv29.i.i = phi i64 [ %91, %B378.preheader.i.i ], [ %lsr.iv.next30.i.i, %B1130.i.i ]
  %lsr.iv.i.i = phi i64 [ %89, %B378.preheader.i.i ], [ %lsr.iv.next.i.i, %B1130.i.i ]
  %row.2.0.i.i = phi i64 [ %.760.us.i, %B378.preheader.i.i ], [ %.1344.i.i, %B1130.i.i ]
  %best.5.0.i.i = phi i64 [ 0, %B378.preheader.i.i ], [ %best.3.1.i.i, %B1130.i.i ]
  %best_at.2.0.i.i = phi i64 [ 0, %B378.preheader.i.i ], [ %best_at.3.1.i.i, %B1130.i.i ]
  %best_length.2.0.i.i = phi i64 [ 0, %B378.preheader.i.i ], [ %best_length.3.1.i.i, %B1130.i.i ]
  %best_head.2.0.i.i = phi i64 [ 0, %B378.preheader.i.i ], [ %best_head.3.1.i.i, %B1130.i.i ]
  %some.2.0.i.i = phi i1 [ false, %B378.preheader.i.i ], [ %some.3.1.i.i, %B1130.i.i ]
  %arg.other_length.fr.i.i.i = freeze i64 %best_length.2.0.i.i
  br i1 %.93.i.i.i, label %B416.i.i, label %has.exit.i.i

has.exit.i.i: ; preds = %B378.i.i
  %93 = add i64 %row.2.0.i.i, %.90.i.i.i
  %.176.i.i.i = lshr i64 %93, 3
  %.202.i.i.i = getelementptr i8, ptr %arg.octets, i64 %.176.i.i.i
  %.203.i.i.i = load i8, ptr %.202.i.i.i, align 1
  %.209.i.i.i = zext i8 %.203.i.i.i to i64
  %.210.i.i.i = and i64 %93, 7
  %94 = shl nuw nsw i64 1, %.210.i.i.i
  %95 = and i64 %94, %.209.i.i.i
  %.567.i.i = icmp eq i64 %95, 0
  br i1 %.567.i.i, label %B1070.i.i, label %B416.i.i

B416.i.i:                                         ; preds = %has.exit.i.i, %B378.i.i
  switch i64 %.248.i.i, label %B884.i.i [
    i64 8, label %B444.i.i
    i64 9, label %B724.i.i
  ]

B444.i.i:                                         ; preds = %B416.i.i
  %sunkaddr17.i.i = shl i64 %lsr.iv.i.i, 3
  %sunkaddr18.i.i = getelementptr i8, ptr %arg.longs, i64 %sunkaddr17.i.i
  %sunkaddr19.i.i = getelementptr i8, ptr %sunkaddr18.i.i, i64 8
  %.637.i.i = load i64, ptr %sunkaddr19.i.i, align 8
  %.638.i.i = xor i64 %.637.i.i, -9223372036854775808
  %.650.i.i = icmp eq i64 %.638.i.i, %best_head.2.0.i.i
  br i1 %.650.i.i, label %B578.i.i, label %B984.i.i

B578.i.i:                                         ; preds = %B444.i.i
  br i1 %some.2.0.i.i, label %B582.i.i, label %B1042.i.i

B582.i.i:                                         ; preds = %B578.i.i
  %.688.i.i = load i64, ptr %sunkaddr18.i.i, align 8
  %.715.i.i = getelementptr i64, ptr %arg.longs, i64 %best_at.2.0.i.i
  %.716.i.i = load i64, ptr %.715.i.i, align 8
  %.717.i.i = icmp ult i64 %.688.i.i, %.716.i.i
  %.720.i.i = xor i1 %92, %.717.i.i
  %.781.i.i = icmp ne i64 %.688.i.i, %.716.i.i
  %spec.select.i.i = and i1 %.781.i.i, %.720.i.i
  br i1 %spec.select.i.i, label %B1042.i.i, label %B1130.i.i

B724.i.i:                                         ; preds = %B416.i.i
  %96 = shl i64 %row.2.0.i.i, 2
  %scevgep24.i.i = getelementptr i8, ptr %scevgep.i4.i, i64 %96
  %scevgep25.i.i = getelementptr i8, ptr %scevgep24.i.i, i64 -4
  %.863.i.i = load i32, ptr %scevgep25.i.i, align 4
  %.864.i.i = zext i32 %.863.i.i to i64
  %.896.i.i = load i32, ptr %scevgep24.i.i, align 4
  %.897.i.i = zext i32 %.896.i.i to i64
  %.898.i.i = sub nsw i64 %.897.i.i, %.864.i.i
  %.902.i.i = add i64 %.346.i.i, %.864.i.i
  br label %B884.i.i

B884.i.i:                                         ; preds = %B724.i.i, %B416.i.i
  %length.3.2.i.i = phi i64 [ %.898.i.i, %B724.i.i ], [ %.395.i.i, %B416.i.i ]
  %at.4.2.i.i = phi i64 [ %.902.i.i, %B724.i.i ], [ %lsr.iv29.i.i, %B416.i.i ]
  %.28.i.i.i = icmp eq i64 %length.3.2.i.i, 0
  br i1 %.28.i.i.i, label %B884.endif.i.i, label %B40.endif.i.i.i

B396.i.i.i:                                       ; preds = %B40.endif.i.i.i
  %.153.i.i.i = sub i64 %.81.i.i.i, %.76.i.i.i
  %.165.i.i.i = icmp ult i64 %at.4.2.i.i, %.153.i.i.i
  br i1 %.165.i.i.i, label %B448.i.i.i, label %B544.i.i.i

B448.i.i.i:                                       ; preds = %B396.i.i.i
  %.197.i.i.i = getelementptr i8, ptr %arg.octets, i64 %at.4.2.i.i
  %.198.i.i.i = load i8, ptr %.197.i.i.i, align 1
  %.199.i.i.i = zext i8 %.198.i.i.i to i64
  %.206.i.i.i = add nuw i64 %at.4.2.i.i, 1
  %exitcond.not.i.i.i = icmp eq i64 %.206.i.i.i, %.153.i.i.i
  br i1 %exitcond.not.i.i.i, label %B544.i.i.i, label %B448.1.i.i.i

B448.1.i.i.i:                                     ; preds = %B448.i.i.i
  %.170.1.i.i.i = shl nuw nsw i64 %.199.i.i.i, 8
  %sunkaddr25.i.i = getelementptr i8, ptr %.197.i.i.i, i64 1
  %.198.1.i.i.i = load i8, ptr %sunkaddr25.i.i, align 1
  %.199.1.i.i.i = zext i8 %.198.1.i.i.i to i64
  %.200.1.i.i.i = or disjoint i64 %.170.1.i.i.i, %.199.1.i.i.i
  %.206.1.i.i.i = add nuw i64 %at.4.2.i.i, 2
  %exitcond.not.1.i.i.i = icmp eq i64 %.206.1.i.i.i, %.153.i.i.i
  br i1 %exitcond.not.1.i.i.i, label %B544.i.i.i, label %B448.2.i.i.i

B448.2.i.i.i:                                     ; preds = %B448.1.i.i.i
  %.170.2.i.i.i = shl nuw nsw i64 %.200.1.i.i.i, 8
  %sunkaddr29.i.i = getelementptr i8, ptr %.197.i.i.i, i64 2
  %.198.2.i.i.i = load i8, ptr %sunkaddr29.i.i, align 1
  %.199.2.i.i.i = zext i8 %.198.2.i.i.i to i64
  %.200.2.i.i.i = or disjoint i64 %.170.2.i.i.i, %.199.2.i.i.i
  %.206.2.i.i.i = add nuw i64 %at.4.2.i.i, 3
  %exitcond.not.2.i.i.i = icmp eq i64 %.206.2.i.i.i, %.153.i.i.i
  br i1 %exitcond.not.2.i.i.i, label %B544.i.i.i, label %B448.3.i.i.i

B448.3.i.i.i:                                     ; preds = %B448.2.i.i.i
  %.170.3.i.i.i = shl nuw nsw i64 %.200.2.i.i.i, 8
  %sunkaddr32.i.i = getelementptr i8, ptr %.197.i.i.i, i64 3
  %.198.3.i.i.i = load i8, ptr %sunkaddr32.i.i, align 1
  %.199.3.i.i.i = zext i8 %.198.3.i.i.i to i64
  %.200.3.i.i.i = or disjoint i64 %.170.3.i.i.i, %.199.3.i.i.i
  %.206.3.i.i.i = add nuw i64 %at.4.2.i.i, 4
  %exitcond.not.3.i.i.i = icmp eq i64 %.206.3.i.i.i, %.153.i.i.i
  br i1 %exitcond.not.3.i.i.i, label %B544.i.i.i, label %B448.4.i.i.i

B448.4.i.i.i:                                     ; preds = %B448.3.i.i.i
  %.170.4.i.i.i = shl nuw nsw i64 %.200.3.i.i.i, 8
  %sunkaddr34.i.i = getelementptr i8, ptr %.197.i.i.i, i64 4
  %.198.4.i.i.i = load i8, ptr %sunkaddr34.i.i, align 1
  %.199.4.i.i.i = zext i8 %.198.4.i.i.i to i64
  %.200.4.i.i.i = or disjoint i64 %.170.4.i.i.i, %.199.4.i.i.i
  %.206.4.i.i.i = add nuw i64 %at.4.2.i.i, 5
  %exitcond.not.4.i.i.i = icmp eq i64 %.206.4.i.i.i, %.153.i.i.i
  br i1 %exitcond.not.4.i.i.i, label %B544.i.i.i, label %B448.5.i.i.i

B448.5.i.i.i:                                     ; preds = %B448.4.i.i.i
  %.170.5.i.i.i = shl nuw nsw i64 %.200.4.i.i.i, 8
  %sunkaddr36.i.i = getelementptr i8, ptr %.197.i.i.i, i64 5
  %.198.5.i.i.i = load i8, ptr %sunkaddr36.i.i, align 1
  %.199.5.i.i.i = zext i8 %.198.5.i.i.i to i64
  %.200.5.i.i.i = or disjoint i64 %.170.5.i.i.i, %.199.5.i.i.i
  %.206.5.i.i.i = add nuw i64 %at.4.2.i.i, 6
  %exitcond.not.5.i.i.i = icmp eq i64 %.206.5.i.i.i, %.153.i.i.i
  br i1 %exitcond.not.5.i.i.i, label %B544.i.i.i, label %B448.6.i.i.i

B448.6.i.i.i:                                     ; preds = %B448.5.i.i.i
  %.170.6.i.i.i = shl nuw nsw i64 %.200.5.i.i.i, 8
  %sunkaddr38.i.i = getelementptr i8, ptr %.197.i.i.i, i64 6
  %.198.6.i.i.i = load i8, ptr %sunkaddr38.i.i, align 1
  %.199.6.i.i.i = zext i8 %.198.6.i.i.i to i64
  %.200.6.i.i.i = or disjoint i64 %.170.6.i.i.i, %.199.6.i.i.i
  %.206.6.i.i.i = add nuw i64 %at.4.2.i.i, 7
  %exitcond.not.6.i.i.i = icmp eq i64 %.206.6.i.i.i, %.153.i.i.i
  br i1 %exitcond.not.6.i.i.i, label %B544.i.i.i, label %B448.7.i.i.i

B448.7.i.i.i:                                     ; preds = %B448.6.i.i.i
  %.170.7.i.i.i = shl nuw i64 %.200.6.i.i.i, 8
  %.197.7.i.i.i = getelementptr i8, ptr %arg.octets, i64 %.206.6.i.i.i
  %.198.7.i.i.i = load i8, ptr %.197.7.i.i.i, align 1
  %.199.7.i.i.i = zext i8 %.198.7.i.i.i to i64
  %.200.7.i.i.i = or disjoint i64 %.170.7.i.i.i, %.199.7.i.i.i
  br label %B544.i.i.i

B544.i.i.i:                                       ; preds = %B448.7.i.i.i, %B448.6.i.i.i, %B448.5.i.i.i, %B448.4.i.i.i, %B448.3.i.i.i, %B448.2.i.i.i, %B448.1.i.i.i, %B448.i.i.i, %B396.i.i.i
  %word.7.1.i.i.i = phi i64 [ 0, %B396.i.i.i ], [ %.199.i.i.i, %B448.i.i.i ], [ %.200.1.i.i.i, %B448.1.i.i.i ], [ %.200.2.i.i.i, %B448.2.i.i.i ], [ %.200.3.i.i.i, %B448.3.i.i.i ], [ %.200.4.i.i.i, %B448.4.i.i.i ], [ %.200.5.i.i.i, %B448.5.i.i.i ], [ %.200.6.i.i.i, %B448.6.i.i.i ], [ %.200.7.i.i.i, %B448.7.i.i.i ]
  %.224.i.i.i = shl nuw nsw i64 %.76.i.i.i, 3
  %.228.i.i.i = shl i64 %word.7.1.i.i.i, %.224.i.i.i
  br label %B884.endif.i.i

B40.endif.i.i.i:                                  ; preds = %B884.i.i
  %.76.i.i.i = tail call i64 @llvm.usub.sat.i64(i64 8, i64 %length.3.2.i.i)
  %.81.i.i.i = add i64 %at.4.2.i.i, 8
  %.83.not.i.i.i = icmp ugt i64 %.81.i.i.i, %"$phi332.0.3.0.i.i"
  br i1 %.83.not.i.i.i, label %B396.i.i.i, label %B126.endif.i.i.i

B126.endif.i.i.i:                                 ; preds = %B40.endif.i.i.i
  %.41.i.i.i.i = getelementptr i8, ptr %arg.octets, i64 %at.4.2.i.i
  %.42.i.i.i.i = load i64, ptr %.41.i.i.i.i, align 1
  %.135.i.i.i = tail call i64 @llvm.bswap.i64(i64 %.42.i.i.i.i)
  %.137.i.i.i = shl nuw nsw i64 %.76.i.i.i, 3
  %97 = shl nsw i64 -1, %.137.i.i.i
  %.143.i.i.i = and i64 %.135.i.i.i, %97
  br label %B884.endif.i.i

B932.i.i:                                         ; preds = %B884.endif.i.i
  br i1 %some.2.0.i.i, label %B936.i.i, label %B1042.i.i

B936.i.i:                                         ; preds = %B932.i.i
  %.38.i.i.i = icmp ugt i64 %length.3.2.i.i, 8
  %.46.i.i.i = icmp ugt i64 %arg.other_length.fr.i.i.i, 8
  %or.cond.i.i.i = and i1 %.46.i.i.i, %.38.i.i.i
  br i1 %or.cond.i.i.i, label %B42.preheader.i.i.i, label %B234.i.i.i

B42.preheader.i.i.i:                              ; preds = %B936.i.i
  %invariant.umin.i.i.i = tail call i64 @llvm.umin.i64(i64 %length.3.2.i.i, i64 %arg.other_length.fr.i.i.i)
  %98 = add i64 %length.3.2.i.i, -15
  %99 = add i64 %length.3.2.i.i, -14
  %100 = add i64 %length.3.2.i.i, -13
  %101 = add i64 %length.3.2.i.i, -12
  %102 = add i64 %length.3.2.i.i, -11
  %103 = add i64 %length.3.2.i.i, -10
  %104 = add i64 %length.3.2.i.i, -9
  %105 = add i64 %arg.other_length.fr.i.i.i, -15
  %106 = add i64 %arg.other_length.fr.i.i.i, -14
  %107 = add i64 %arg.other_length.fr.i.i.i, -13
  %108 = add i64 %arg.other_length.fr.i.i.i, -12
  %109 = add i64 %arg.other_length.fr.i.i.i, -11
  %110 = add i64 %arg.other_length.fr.i.i.i, -10
  %111 = add i64 %arg.other_length.fr.i.i.i, -9
  %112 = add i64 %best_at.2.0.i.i, 8
  %scevgep5.i.i.i = getelementptr i8, ptr %arg.octets, i64 %112
  %113 = add i64 %at.4.2.i.i, 8
  %scevgep29.i.i.i = getelementptr i8, ptr %arg.octets, i64 %113
  br label %B40.endif.i.i.i.i

B396.i.i.i.i:                                     ; preds = %B40.endif.i.i.i.i
  %114 = add i64 %119, 8
  %umin60.i.i.i = tail call i64 @llvm.umin.i64(i64 %lsr.iv58.i.i.i, i64 8)
  %115 = add i64 %umin60.i.i.i, %113
  %116 = add i64 %115, %lsr.iv4.i.i.i
  %.165.i.i.i.i = icmp ult i64 %114, %116
  br i1 %.165.i.i.i.i, label %B448.i.i.i.i, label %B544.i.i.i.i

B448.i.i.i.i:                                     ; preds = %B396.i.i.i.i
  %scevgep57.i.i.i = getelementptr i8, ptr %scevgep29.i.i.i, i64 %lsr.iv4.i.i.i
  %.198.i.i.i.i = load i8, ptr %scevgep57.i.i.i, align 1
  %.199.i.i.i.i = zext i8 %.198.i.i.i.i to i64
  %exitcond.not.i.i.i.i = icmp eq i64 %104, %lsr.iv4.i.i.i
  br i1 %exitcond.not.i.i.i.i, label %B544.i.i.i.i, label %B448.1.i.i.i.i

B448.1.i.i.i.i:                                   ; preds = %B448.i.i.i.i
  %.170.1.i.i.i.i = shl nuw nsw i64 %.199.i.i.i.i, 8
  %scevgep56.i.i.i = getelementptr i8, ptr %scevgep57.i.i.i, i64 1
  %.198.1.i.i.i.i = load i8, ptr %scevgep56.i.i.i, align 1
  %.199.1.i.i.i.i = zext i8 %.198.1.i.i.i.i to i64
  %.200.1.i.i.i.i = or disjoint i64 %.170.1.i.i.i.i, %.199.1.i.i.i.i
  %exitcond.not.1.i.i.i.i = icmp eq i64 %103, %lsr.iv4.i.i.i
  br i1 %exitcond.not.1.i.i.i.i, label %B544.i.i.i.i, label %B448.2.i.i.i.i

B448.2.i.i.i.i:                                   ; preds = %B448.1.i.i.i.i
  %.170.2.i.i.i.i = shl nuw nsw i64 %.200.1.i.i.i.i, 8
  %scevgep51.i.i.i = getelementptr i8, ptr %scevgep57.i.i.i, i64 2
  %.198.2.i.i.i.i = load i8, ptr %scevgep51.i.i.i, align 1
  %.199.2.i.i.i.i = zext i8 %.198.2.i.i.i.i to i64
  %.200.2.i.i.i.i = or disjoint i64 %.170.2.i.i.i.i, %.199.2.i.i.i.i
  %exitcond.not.2.i.i.i.i = icmp eq i64 %102, %lsr.iv4.i.i.i
  br i1 %exitcond.not.2.i.i.i.i, label %B544.i.i.i.i, label %B448.3.i.i.i.i

B448.3.i.i.i.i:                                   ; preds = %B448.2.i.i.i.i
  %.170.3.i.i.i.i = shl nuw nsw i64 %.200.2.i.i.i.i, 8
  %scevgep47.i.i.i = getelementptr i8, ptr %scevgep57.i.i.i, i64 3
  %.198.3.i.i.i.i = load i8, ptr %scevgep47.i.i.i, align 1
  %.199.3.i.i.i.i = zext i8 %.198.3.i.i.i.i to i64
  %.200.3.i.i.i.i = or disjoint i64 %.170.3.i.i.i.i, %.199.3.i.i.i.i
  %exitcond.not.3.i.i.i.i = icmp eq i64 %101, %lsr.iv4.i.i.i
  br i1 %exitcond.not.3.i.i.i.i, label %B544.i.i.i.i, label %B448.4.i.i.i.i

B448.4.i.i.i.i:                                   ; preds = %B448.3.i.i.i.i
  %.170.4.i.i.i.i = shl nuw nsw i64 %.200.3.i.i.i.i, 8
  %scevgep43.i.i.i = getelementptr i8, ptr %scevgep57.i.i.i, i64 4
  %.198.4.i.i.i.i = load i8, ptr %scevgep43.i.i.i, align 1
  %.199.4.i.i.i.i = zext i8 %.198.4.i.i.i.i to i64
  %.200.4.i.i.i.i = or disjoint i64 %.170.4.i.i.i.i, %.199.4.i.i.i.i
  %exitcond.not.4.i.i.i.i = icmp eq i64 %100, %lsr.iv4.i.i.i
  br i1 %exitcond.not.4.i.i.i.i, label %B544.i.i.i.i, label %B448.5.i.i.i.i

B448.5.i.i.i.i:                                   ; preds = %B448.4.i.i.i.i
  %.170.5.i.i.i.i = shl nuw nsw i64 %.200.4.i.i.i.i, 8
  %scevgep40.i.i.i = getelementptr i8, ptr %scevgep57.i.i.i, i64 5
  %.198.5.i.i.i.i = load i8, ptr %scevgep40.i.i.i, align 1
  %.199.5.i.i.i.i = zext i8 %.198.5.i.i.i.i to i64
  %.200.5.i.i.i.i = or disjoint i64 %.170.5.i.i.i.i, %.199.5.i.i.i.i
  %exitcond.not.5.i.i.i.i = icmp eq i64 %99, %lsr.iv4.i.i.i
  br i1 %exitcond.not.5.i.i.i.i, label %B544.i.i.i.i, label %B448.6.i.i.i.i

B448.6.i.i.i.i:                                   ; preds = %B448.5.i.i.i.i
  %.170.6.i.i.i.i = shl nuw nsw i64 %.200.5.i.i.i.i, 8
  %scevgep37.i.i.i = getelementptr i8, ptr %scevgep57.i.i.i, i64 6
  %.198.6.i.i.i.i = load i8, ptr %scevgep37.i.i.i, align 1
  %.199.6.i.i.i.i = zext i8 %.198.6.i.i.i.i to i64
  %.200.6.i.i.i.i = or disjoint i64 %.170.6.i.i.i.i, %.199.6.i.i.i.i
  %exitcond.not.6.i.i.i.i = icmp eq i64 %98, %lsr.iv4.i.i.i
  br i1 %exitcond.not.6.i.i.i.i, label %B544.i.i.i.i, label %B448.7.i.i.i.i

B448.7.i.i.i.i:                                   ; preds = %B448.6.i.i.i.i
  %.170.7.i.i.i.i = shl nuw i64 %.200.6.i.i.i.i, 8
  %scevgep33.i.i.i = getelementptr i8, ptr %scevgep57.i.i.i, i64 7
  %.198.7.i.i.i.i = load i8, ptr %scevgep33.i.i.i, align 1
  %.199.7.i.i.i.i = zext i8 %.198.7.i.i.i.i to i64
  %.200.7.i.i.i.i = or disjoint i64 %.170.7.i.i.i.i, %.199.7.i.i.i.i
  br label %B544.i.i.i.i

B544.i.i.i.i:                                     ; preds = %B448.7.i.i.i.i, %B448.6.i.i.i.i, %B448.5.i.i.i.i, %B448.4.i.i.i.i, %B448.3.i.i.i.i, %B448.2.i.i.i.i, %B448.1.i.i.i.i, %B448.i.i.i.i, %B396.i.i.i.i
  %word.7.1.i.i.i.i = phi i64 [ 0, %B396.i.i.i.i ], [ %.199.i.i.i.i, %B448.i.i.i.i ], [ %.200.1.i.i.i.i, %B448.1.i.i.i.i ], [ %.200.2.i.i.i.i, %B448.2.i.i.i.i ], [ %.200.3.i.i.i.i, %B448.3.i.i.i.i ], [ %.200.4.i.i.i.i, %B448.4.i.i.i.i ], [ %.200.5.i.i.i.i, %B448.5.i.i.i.i ], [ %.200.6.i.i.i.i, %B448.6.i.i.i.i ], [ %.200.7.i.i.i.i, %B448.7.i.i.i.i ]
  %.224.i.i.i6.i = shl nuw nsw i64 %.76.i.i.i.i, 3
  %.228.i.i.i.i = shl i64 %word.7.1.i.i.i.i, %.224.i.i.i6.i
  br label %B40.endif.i9.i.i.i

B40.endif.i.i.i.i:                                ; preds = %B190.i.i.i, %B42.preheader.i.i.i
  %lsr.iv61.i.i.i = phi i64 [ %lsr.iv.next62.i.i.i, %B190.i.i.i ], [ -8, %B42.preheader.i.i.i ]
  %lsr.iv58.in.i.i.i = phi i64 [ %lsr.iv58.i.i.i, %B190.i.i.i ], [ %length.3.2.i.i, %B42.preheader.i.i.i ]
  %lsr.iv26.in.i.i.i = phi i64 [ %lsr.iv26.i.i.i, %B190.i.i.i ], [ %arg.other_length.fr.i.i.i, %B42.preheader.i.i.i ]
  %lsr.iv4.i.i.i = phi i64 [ %lsr.iv.next.i.i.i, %B190.i.i.i ], [ 0, %B42.preheader.i.i.i ]
  %lsr.iv26.i.i.i = add i64 %lsr.iv26.in.i.i.i, -8
  %lsr.iv58.i.i.i = add i64 %lsr.iv58.in.i.i.i, -8
  %umin28.i.i.i = tail call i64 @llvm.umin.i64(i64 %lsr.iv26.i.i.i, i64 8)
  %117 = add i64 %lsr.iv61.i.i.i, %length.3.2.i.i
  %118 = add i64 %lsr.iv61.i.i.i, %arg.other_length.fr.i.i.i
  %.76.i.i.i.i = tail call i64 @llvm.usub.sat.i64(i64 8, i64 %117)
  %119 = add i64 %lsr.iv4.i.i.i, %at.4.2.i.i
  %120 = add i64 %119, 16
  %.83.not.i.i.i.i = icmp ugt i64 %120, %"$phi332.0.3.0.i.i"
  br i1 %.83.not.i.i.i.i, label %B396.i.i.i.i, label %B126.endif.i.i.i.i

B126.endif.i.i.i.i:                               ; preds = %B40.endif.i.i.i.i
  %scevgep31.i.i.i = getelementptr i8, ptr %scevgep29.i.i.i, i64 %lsr.iv4.i.i.i
  %.42.i.i.i.i.i = load i64, ptr %scevgep31.i.i.i, align 1
  %.135.i.i.i.i = tail call i64 @llvm.bswap.i64(i64 %.42.i.i.i.i.i)
  %.137.i.i.i.i = shl nuw nsw i64 %.76.i.i.i.i, 3
  %121 = shl nsw i64 -1, %.137.i.i.i.i
  %.143.i.i.i.i = and i64 %.135.i.i.i.i, %121
  br label %B40.endif.i9.i.i.i

B164.i.i.i:                                       ; preds = %B42.endif.endif.i.i.i
  %.160.i.i.i = icmp ugt i64 %.143.sink.i.i.i.i, %.143.sink.i19.i.i.i
  br i1 %.160.i.i.i, label %order.exit.i.i, label %B190.i.i.i

B190.i.i.i:                                       ; preds = %B164.i.i.i
  %lsr.iv.next.i.i.i = add i64 %lsr.iv4.i.i.i, 8
  %122 = add i64 %lsr.iv4.i.i.i, 16
  %lsr.iv.next62.i.i.i = add i64 %lsr.iv61.i.i.i, -8
  %or.cond96.i.i.i = icmp ult i64 %122, %invariant.umin.i.i.i
  br i1 %or.cond96.i.i.i, label %B40.endif.i.i.i.i, label %B234.i.i.i

B234.i.i.i:                                       ; preds = %B190.i.i.i, %B936.i.i
  %.229.i.i.i = icmp ult i64 %length.3.2.i.i, %arg.other_length.fr.i.i.i
  br i1 %.229.i.i.i, label %order.exit.i.i, label %B260.i.i.i

B260.i.i.i:                                       ; preds = %B234.i.i.i
  %.239.i.i.i = icmp ugt i64 %length.3.2.i.i, %arg.other_length.fr.i.i.i
  %spec.select.i.i.i = select i1 %.239.i.i.i, i64 2, i64 1
  br label %order.exit.i.i

B396.i20.i.i.i:                                   ; preds = %B40.endif.i9.i.i.i
  %123 = add i64 %126, 8
  %124 = add i64 %lsr.iv4.i.i.i, %112
  %125 = add i64 %124, %umin28.i.i.i
  %.165.i22.i.i.i = icmp ult i64 %123, %125
  br i1 %.165.i22.i.i.i, label %B448.i27.i.i.i, label %B544.i23.i.i.i

B448.i27.i.i.i:                                   ; preds = %B396.i20.i.i.i
  %scevgep25.i.i.i = getelementptr i8, ptr %scevgep5.i.i.i, i64 %lsr.iv4.i.i.i
  %.198.i29.i.i.i = load i8, ptr %scevgep25.i.i.i, align 1
  %.199.i30.i.i.i = zext i8 %.198.i29.i.i.i to i64
  %exitcond.not.i32.i.i.i = icmp eq i64 %111, %lsr.iv4.i.i.i
  br i1 %exitcond.not.i32.i.i.i, label %B544.i23.i.i.i, label %B448.1.i33.i.i.i

B448.1.i33.i.i.i:                                 ; preds = %B448.i27.i.i.i
  %.170.1.i34.i.i.i = shl nuw nsw i64 %.199.i30.i.i.i, 8
  %scevgep24.i.i.i = getelementptr i8, ptr %scevgep25.i.i.i, i64 1
  %.198.1.i36.i.i.i = load i8, ptr %scevgep24.i.i.i, align 1
  %.199.1.i37.i.i.i = zext i8 %.198.1.i36.i.i.i to i64
  %.200.1.i38.i.i.i = or disjoint i64 %.170.1.i34.i.i.i, %.199.1.i37.i.i.i
  %exitcond.not.1.i40.i.i.i = icmp eq i64 %110, %lsr.iv4.i.i.i
  br i1 %exitcond.not.1.i40.i.i.i, label %B544.i23.i.i.i, label %B448.2.i41.i.i.i

B448.2.i41.i.i.i:                                 ; preds = %B448.1.i33.i.i.i
  %.170.2.i42.i.i.i = shl nuw nsw i64 %.200.1.i38.i.i.i, 8
  %scevgep21.i.i.i = getelementptr i8, ptr %scevgep25.i.i.i, i64 2
  %.198.2.i44.i.i.i = load i8, ptr %scevgep21.i.i.i, align 1
  %.199.2.i45.i.i.i = zext i8 %.198.2.i44.i.i.i to i64
  %.200.2.i46.i.i.i = or disjoint i64 %.170.2.i42.i.i.i, %.199.2.i45.i.i.i
  %exitcond.not.2.i48.i.i.i = icmp eq i64 %109, %lsr.iv4.i.i.i
  br i1 %exitcond.not.2.i48.i.i.i, label %B544.i23.i.i.i, label %B448.3.i49.i.i.i

B448.3.i49.i.i.i:                                 ; preds = %B448.2.i41.i.i.i
  %.170.3.i50.i.i.i = shl nuw nsw i64 %.200.2.i46.i.i.i, 8
  %scevgep19.i.i.i = getelementptr i8, ptr %scevgep25.i.i.i, i64 3
  %.198.3.i52.i.i.i = load i8, ptr %scevgep19.i.i.i, align 1
  %.199.3.i53.i.i.i = zext i8 %.198.3.i52.i.i.i to i64
  %.200.3.i54.i.i.i = or disjoint i64 %.170.3.i50.i.i.i, %.199.3.i53.i.i.i
  %exitcond.not.3.i56.i.i.i = icmp eq i64 %108, %lsr.iv4.i.i.i
  br i1 %exitcond.not.3.i56.i.i.i, label %B544.i23.i.i.i, label %B448.4.i57.i.i.i

B448.4.i57.i.i.i:                                 ; preds = %B448.3.i49.i.i.i
  %.170.4.i58.i.i.i = shl nuw nsw i64 %.200.3.i54.i.i.i, 8
  %scevgep16.i.i.i = getelementptr i8, ptr %scevgep25.i.i.i, i64 4
  %.198.4.i60.i.i.i = load i8, ptr %scevgep16.i.i.i, align 1
  %.199.4.i61.i.i.i = zext i8 %.198.4.i60.i.i.i to i64
  %.200.4.i62.i.i.i = or disjoint i64 %.170.4.i58.i.i.i, %.199.4.i61.i.i.i
  %exitcond.not.4.i64.i.i.i = icmp eq i64 %107, %lsr.iv4.i.i.i
  br i1 %exitcond.not.4.i64.i.i.i, label %B544.i23.i.i.i, label %B448.5.i65.i.i.i

B448.5.i65.i.i.i:                                 ; preds = %B448.4.i57.i.i.i
  %.170.5.i66.i.i.i = shl nuw nsw i64 %.200.4.i62.i.i.i, 8
  %scevgep13.i.i.i = getelementptr i8, ptr %scevgep25.i.i.i, i64 5
  %.198.5.i68.i.i.i = load i8, ptr %scevgep13.i.i.i, align 1
  %.199.5.i69.i.i.i = zext i8 %.198.5.i68.i.i.i to i64
  %.200.5.i70.i.i.i = or disjoint i64 %.170.5.i66.i.i.i, %.199.5.i69.i.i.i
  %exitcond.not.5.i72.i.i.i = icmp eq i64 %106, %lsr.iv4.i.i.i
  br i1 %exitcond.not.5.i72.i.i.i, label %B544.i23.i.i.i, label %B448.6.i73.i.i.i

B448.6.i73.i.i.i:                                 ; preds = %B448.5.i65.i.i.i
  %.170.6.i74.i.i.i = shl nuw nsw i64 %.200.5.i70.i.i.i, 8
  %scevgep11.i.i.i = getelementptr i8, ptr %scevgep25.i.i.i, i64 6
  %.198.6.i76.i.i.i = load i8, ptr %scevgep11.i.i.i, align 1
  %.199.6.i77.i.i.i = zext i8 %.198.6.i76.i.i.i to i64
  %.200.6.i78.i.i.i = or disjoint i64 %.170.6.i74.i.i.i, %.199.6.i77.i.i.i
  %exitcond.not.6.i80.i.i.i = icmp eq i64 %105, %lsr.iv4.i.i.i
  br i1 %exitcond.not.6.i80.i.i.i, label %B544.i23.i.i.i, label %B448.7.i81.i.i.i

B448.7.i81.i.i.i:                                 ; preds = %B448.6.i73.i.i.i
  %.170.7.i82.i.i.i = shl nuw i64 %.200.6.i78.i.i.i, 8
  %scevgep8.i.i.i = getelementptr i8, ptr %scevgep25.i.i.i, i64 7
  %.198.7.i84.i.i.i = load i8, ptr %scevgep8.i.i.i, align 1
  %.199.7.i85.i.i.i = zext i8 %.198.7.i84.i.i.i to i64
  %.200.7.i86.i.i.i = or disjoint i64 %.170.7.i82.i.i.i, %.199.7.i85.i.i.i
  br label %B544.i23.i.i.i

B544.i23.i.i.i:                                   ; preds = %B448.7.i81.i.i.i, %B448.6.i73.i.i.i, %B448.5.i65.i.i.i, %B448.4.i57.i.i.i, %B448.3.i49.i.i.i, %B448.2.i41.i.i.i, %B448.1.i33.i.i.i, %B448.i27.i.i.i, %B396.i20.i.i.i
  %word.7.1.i24.i.i.i = phi i64 [ 0, %B396.i20.i.i.i ], [ %.199.i30.i.i.i, %B448.i27.i.i.i ], [ %.200.1.i38.i.i.i, %B448.1.i33.i.i.i ], [ %.200.2.i46.i.i.i, %B448.2.i41.i.i.i ], [ %.200.3.i54.i.i.i, %B448.3.i49.i.i.i ], [ %.200.4.i62.i.i.i, %B448.4.i57.i.i.i ], [ %.200.5.i70.i.i.i, %B448.5.i65.i.i.i ], [ %.200.6.i78.i.i.i, %B448.6.i73.i.i.i ], [ %.200.7.i86.i.i.i, %B448.7.i81.i.i.i ]
  %.224.i25.i.i.i = shl nuw nsw i64 %.76.i10.i.i.i, 3
  %.228.i26.i.i.i = shl i64 %word.7.1.i24.i.i.i, %.224.i25.i.i.i
  br label %B42.endif.endif.i.i.i

B40.endif.i9.i.i.i:                               ; preds = %B126.endif.i.i.i.i, %B544.i.i.i.i
  %.143.sink.i.i.i.i = phi i64 [ %.143.i.i.i.i, %B126.endif.i.i.i.i ], [ %.228.i.i.i.i, %B544.i.i.i.i ]
  %.76.i10.i.i.i = tail call i64 @llvm.usub.sat.i64(i64 8, i64 %118)
  %126 = add i64 %lsr.iv4.i.i.i, %best_at.2.0.i.i
  %127 = add i64 %126, 16
  %.83.not.i12.i.i.i = icmp ugt i64 %127, %"$phi332.0.3.0.i.i"
  br i1 %.83.not.i12.i.i.i, label %B396.i20.i.i.i, label %B126.endif.i13.i.i.i

B126.endif.i13.i.i.i:                             ; preds = %B40.endif.i9.i.i.i
  %scevgep6.i.i.i = getelementptr i8, ptr %scevgep5.i.i.i, i64 %lsr.iv4.i.i.i
  %.42.i.i15.i.i.i = load i64, ptr %scevgep6.i.i.i, align 1
  %.135.i16.i.i.i = tail call i64 @llvm.bswap.i64(i64 %.42.i.i15.i.i.i)
  %.137.i17.i.i.i = shl nuw nsw i64 %.76.i10.i.i.i, 3
  %128 = shl nsw i64 -1, %.137.i17.i.i.i
  %.143.i18.i.i.i = and i64 %.135.i16.i.i.i, %128
  br label %B42.endif.endif.i.i.i

B42.endif.endif.i.i.i:                            ; preds = %B126.endif.i13.i.i.i, %B544.i23.i.i.i
  %.143.sink.i19.i.i.i = phi i64 [ %.143.i18.i.i.i, %B126.endif.i13.i.i.i ], [ %.228.i26.i.i.i, %B544.i23.i.i.i ]
  %.133.i.i.i = icmp ult i64 %.143.sink.i.i.i.i, %.143.sink.i19.i.i.i
  br i1 %.133.i.i.i, label %order.exit.i.i, label %B164.i.i.i

order.exit.i.i: ; preds = %B42.endif.endif.i.i.i, %B164.i.i.i, %B260.i.i.i, %B234.i.i.i
  %spec.select.sink.i.i.i = phi i64 [ %spec.select.i.i.i, %B260.i.i.i ], [ 0, %B234.i.i.i ], [ 0, %B42.endif.endif.i.i.i ], [ 2, %B164.i.i.i ]
  %.1021.i.i = icmp eq i64 %spec.select.sink.i.i.i, %.193.i.i
  br i1 %.1021.i.i, label %B1042.i.i, label %B1130.i.i

B984.i.i:                                         ; preds = %B884.endif.i.i, %B444.i.i
  %own.2.1.i.i = phi i64 [ %.143.sink.i.i.i, %B884.endif.i.i ], [ %.638.i.i, %B444.i.i ]
  %length.4.1.i.i = phi i64 [ %length.3.2.i.i, %B884.endif.i.i ], [ 0, %B444.i.i ]
  %at.5.1.i.i = phi i64 [ %at.4.2.i.i, %B884.endif.i.i ], [ %lsr.iv.i.i, %B444.i.i ]
  %.1039.not.i.i = icmp eq i64 %own.2.1.i.i, %best_head.2.0.i.i
  br i1 %.1039.not.i.i, label %B1038.i.i, label %B996.i.i

B996.i.i:                                         ; preds = %B984.i.i
  %129 = icmp uge i64 %own.2.1.i.i, %best_head.2.0.i.i
  %.1053.not.i.i = xor i1 %92, %129
  %or.cond.not.i.i = select i1 %some.2.0.i.i, i1 %.1053.not.i.i, i1 false
  br i1 %or.cond.not.i.i, label %B1130.i.i, label %B1042.i.i

B1038.i.i:                                        ; preds = %B984.i.i
  br i1 %some.2.0.i.i, label %B1130.i.i, label %B1042.i.i

B1042.i.i:                                        ; preds = %B1038.i.i, %B996.i.i, %order.exit.i.i, %B932.i.i, %B582.i.i, %B578.i.i
  %at.5.1595.i.i = phi i64 [ %at.5.1.i.i, %B996.i.i ], [ %at.5.1.i.i, %B1038.i.i ], [ %at.4.2.i.i, %order.exit.i.i ], [ %lsr.iv.i.i, %B578.i.i ], [ %at.4.2.i.i, %B932.i.i ], [ %lsr.iv.i.i, %B582.i.i ]
  %length.4.1593.i.i = phi i64 [ %length.4.1.i.i, %B996.i.i ], [ %length.4.1.i.i, %B1038.i.i ], [ %length.3.2.i.i, %order.exit.i.i ], [ 0, %B578.i.i ], [ %length.3.2.i.i, %B932.i.i ], [ 0, %B582.i.i ]
  %own.2.1591.i.i = phi i64 [ %own.2.1.i.i, %B996.i.i ], [ %best_head.2.0.i.i, %B1038.i.i ], [ %best_head.2.0.i.i, %order.exit.i.i ], [ %best_head.2.0.i.i, %B578.i.i ], [ %best_head.2.0.i.i, %B932.i.i ], [ %best_head.2.0.i.i, %B582.i.i ]
  br label %B1130.i.i

B1070.i.i:                                        ; preds = %has.exit.i.i
  %.132.i56.i = load i64, ptr %.131.i.i, align 8
  %.179.i.i = load i64, ptr %.178.i.i, align 8
  %.194.i.i = icmp eq i64 %.132.i56.i, -1
  %.197.i.i = icmp eq i64 %.179.i.i, -1
  %or.cond.i57.i = select i1 %.194.i.i, i1 true, i1 %.197.i.i
  br i1 %or.cond.i57.i, label %place_of.exit.i, label %B112.i.i

B112.i.i:                                         ; preds = %B1070.i.i
  %.89.i.idx.i.i.i = mul i64 %.179.i.i, 40
  %.89.i.i.i.i = getelementptr i8, ptr %arg.columns, i64 %.89.i.idx.i.i.i
  %.90.i.i.i.i = load i64, ptr %.89.i.i.i.i, align 8
  %.93.i.i.i.i = icmp eq i64 %.90.i.i.i.i, -1
  br i1 %.93.i.i.i.i, label %B40.i.i66.i, label %has.exit.i.i58.i

has.exit.i.i58.i: ; preds = %B112.i.i
  %.173.i.i.i59.i = add i64 %.90.i.i.i.i, %row.2.0.i.i
  %.176.i.i.i60.i = lshr i64 %.173.i.i.i59.i, 3
  %.202.i.i.i61.i = getelementptr i8, ptr %arg.octets, i64 %.176.i.i.i60.i
  %.203.i.i.i62.i = load i8, ptr %.202.i.i.i61.i, align 1
  %.209.i.i.i63.i = zext i8 %.203.i.i.i62.i to i64
  %.210.i.i.i64.i = and i64 %.173.i.i.i59.i, 7
  %130 = shl nuw nsw i64 1, %.210.i.i.i64.i
  %131 = and i64 %130, %.209.i.i.i63.i
  %.100.i.i65.i = icmp eq i64 %131, 0
  br i1 %.100.i.i65.i, label %place_of.exit.i, label %B40.i.i66.i

B40.i.i66.i:                                      ; preds = %has.exit.i.i58.i, %B112.i.i
  %.111.i.i.i.i = getelementptr i8, ptr %.89.i.i.i.i, i64 24
  %.112.i.i.i.i = load i64, ptr %.111.i.i.i.i, align 8
  %.158.i.i.i.i = getelementptr i8, ptr %.89.i.i.i.i, i64 8
  %.159.i.i.i.i = load i64, ptr %.158.i.i.i.i, align 8
  switch i64 %.112.i.i.i.i, label %B772.endif.i.i.i104.i [
    i64 3, label %B108.i.i.i101.i
    i64 5, label %B108.i.i.i101.i
    i64 7, label %B194.i.i.i96.i
    i64 2, label %B318.i.i.i85.i
    i64 4, label %B318.i.i.i85.i
    i64 6, label %B514.i.i.i76.i
    i64 0, label %B670.endif.i.i.i67.i
  ]

B108.i.i.i101.i:                                  ; preds = %B40.i.i66.i, %B40.i.i66.i
  %.192.i.i.i.i = lshr i64 %.159.i.i.i.i, 3
  %132 = getelementptr i64, ptr %arg.longs, i64 %.192.i.i.i.i
  %.224.i.i.i102.i = getelementptr i64, ptr %132, i64 %row.2.0.i.i
  %.225.i.i.i103.i = load i64, ptr %.224.i.i.i102.i, align 8
  br label %count_of.exit.i74.i

B194.i.i.i96.i:                                   ; preds = %B40.i.i66.i
  %.249.i.i.i97.i = lshr i64 %.159.i.i.i.i, 3
  %133 = getelementptr i64, ptr %arg.longs, i64 %.249.i.i.i97.i
  %.282.idx.i.i.i98.i = shl i64 %row.2.0.i.i, 4
  %.282.i.i.i99.i = getelementptr i8, ptr %133, i64 %.282.idx.i.i.i98.i
  %.283.i.i.i100.i = load i64, ptr %.282.i.i.i99.i, align 8
  br label %count_of.exit.i74.i

B318.i.i.i85.i:                                   ; preds = %B40.i.i66.i, %B40.i.i66.i
  %.308.i.i.i86.i = lshr i64 %.159.i.i.i.i, 2
  %134 = getelementptr i32, ptr %arg.ints, i64 %.308.i.i.i86.i
  %.340.i.i.i87.i = getelementptr i32, ptr %134, i64 %row.2.0.i.i
  %.341.i.i.i88.i = load i32, ptr %.340.i.i.i87.i, align 4
  %.347.i.i.i89.i = zext i32 %.341.i.i.i88.i to i64
  %.348.i.i.i90.i = shl nuw i64 %.347.i.i.i89.i, 32
  %.353.i.i.i91.i = icmp eq i64 %.112.i.i.i.i, 4
  %.10.i.i.i.i92.i = icmp slt i64 %.348.i.i.i90.i, 0
  %"$phi82.1.2.0.i.i.i.i93.i" = select i1 %.10.i.i.i.i92.i, i64 -4294967296, i64 0
  %.31.i.i.i.i94.i = or disjoint i64 %"$phi82.1.2.0.i.i.i.i93.i", %.347.i.i.i89.i
  %"$phi490.0.2.0.i.i.i95.i" = select i1 %.353.i.i.i91.i, i64 %.348.i.i.i90.i, i64 %.31.i.i.i.i94.i
  br label %count_of.exit.i74.i

B514.i.i.i76.i:                                   ; preds = %B40.i.i66.i
  %.414.i.i.i77.i = add i64 %.159.i.i.i.i, %row.2.0.i.i
  %.415.i.i.i78.i = lshr i64 %.414.i.i.i77.i, 3
  %.441.i.i.i79.i = getelementptr i8, ptr %arg.octets, i64 %.415.i.i.i78.i
  %.442.i.i.i80.i = load i8, ptr %.441.i.i.i79.i, align 1
  %.448.i.i.i81.i = zext i8 %.442.i.i.i80.i to i64
  %.456.i.i.i82.i = and i64 %.414.i.i.i77.i, 7
  %.457.i.i.i83.i = lshr i64 %.448.i.i.i81.i, %.456.i.i.i82.i
  %.458.i.i.i84.i = and i64 %.457.i.i.i83.i, 1
  br label %count_of.exit.i74.i

B670.endif.i.i.i67.i:                             ; preds = %B40.i.i66.i
  %135 = getelementptr i8, ptr %arg.octets, i64 %.159.i.i.i.i
  %.499.i.i.i68.i = getelementptr i8, ptr %135, i64 %row.2.0.i.i
  %.500.i.i.i69.i = load i8, ptr %.499.i.i.i68.i, align 1
  %.506.i.i.i70.i = zext i8 %.500.i.i.i69.i to i64
  %.10.i1.not.i.i.i71.i = icmp sgt i8 %.500.i.i.i69.i, -1
  %"$phi82.1.2.0.i2.i.i.i72.i" = select i1 %.10.i1.not.i.i.i71.i, i64 0, i64 -256
  %.31.i3.i.i.i73.i = or disjoint i64 %"$phi82.1.2.0.i2.i.i.i72.i", %.506.i.i.i70.i
  br label %count_of.exit.i74.i

B772.endif.i.i.i104.i:                            ; preds = %B40.i.i66.i
  %.536.i.i.i105.i = shl i64 %row.2.0.i.i, 1
  %136 = getelementptr i8, ptr %arg.octets, i64 %.159.i.i.i.i
  %.564.i.i.i106.i = getelementptr i8, ptr %136, i64 %.536.i.i.i105.i
  %.565.i.i.i107.i = load i16, ptr %.564.i.i.i106.i, align 1
  %137 = zext i16 %.565.i.i.i107.i to i64
  %.10.i4.not.i.i.i108.i = icmp sgt i16 %.565.i.i.i107.i, -1
  %"$phi82.1.2.0.i5.i.i.i109.i" = select i1 %.10.i4.not.i.i.i108.i, i64 0, i64 -65536
  %.31.i6.i.i.i110.i = or disjoint i64 %"$phi82.1.2.0.i5.i.i.i109.i", %137
  br label %count_of.exit.i74.i

count_of.exit.i74.i: ; preds = %B772.endif.i.i.i104.i, %B670.endif.i.i.i67.i, %B514.i.i.i76.i, %B318.i.i.i85.i, %B194.i.i.i96.i, %B108.i.i.i101.i
  %"$phi92.0.2.0.i.i75.i" = phi i64 [ %.225.i.i.i103.i, %B108.i.i.i101.i ], [ %.31.i6.i.i.i110.i, %B772.endif.i.i.i104.i ], [ %.31.i3.i.i.i73.i, %B670.endif.i.i.i67.i ], [ %.458.i.i.i84.i, %B514.i.i.i76.i ], [ %"$phi490.0.2.0.i.i.i95.i", %B318.i.i.i85.i ], [ %.283.i.i.i100.i, %B194.i.i.i96.i ]
  %or.cond221.i.i = icmp sgt i64 %"$phi92.0.2.0.i.i75.i", 0
  br i1 %or.cond221.i.i, label %B230.i.i, label %place_of.exit.i

B230.i.i:                                         ; preds = %count_of.exit.i74.i
  %.89.i.idx.i1.i.i = mul i64 %.132.i56.i, 40
  %.89.i.i2.i.i = getelementptr i8, ptr %arg.columns, i64 %.89.i.idx.i1.i.i
  %.90.i.i3.i.i = load i64, ptr %.89.i.i2.i.i, align 8
  %.93.i.i4.i.i = icmp eq i64 %.90.i.i3.i.i, -1
  br i1 %.93.i.i4.i.i, label %B40.i13.i.i, label %has.exit.i5.i.i

has.exit.i5.i.i: ; preds = %B230.i.i
  %.173.i.i6.i.i = add i64 %.90.i.i3.i.i, %row.2.0.i.i
  %.176.i.i7.i.i = lshr i64 %.173.i.i6.i.i, 3
  %.202.i.i8.i.i = getelementptr i8, ptr %arg.octets, i64 %.176.i.i7.i.i
  %.203.i.i9.i.i = load i8, ptr %.202.i.i8.i.i, align 1
  %.209.i.i10.i.i = zext i8 %.203.i.i9.i.i to i64
  %.210.i.i11.i.i = and i64 %.173.i.i6.i.i, 7
  %138 = shl nuw nsw i64 1, %.210.i.i11.i.i
  %139 = and i64 %138, %.209.i.i10.i.i
  %.100.i12.i.i = icmp eq i64 %139, 0
  br i1 %.100.i12.i.i, label %is_blank.exit.i, label %B40.i13.i.i

B40.i13.i.i:                                      ; preds = %has.exit.i5.i.i, %B230.i.i
  %.111.i.i14.i.i = getelementptr i8, ptr %.89.i.i2.i.i, i64 24
  %.112.i.i15.i.i = load i64, ptr %.111.i.i14.i.i, align 8
  %.158.i.i16.i.i = getelementptr i8, ptr %.89.i.i2.i.i, i64 8
  %.159.i.i17.i.i = load i64, ptr %.158.i.i16.i.i, align 8
  switch i64 %.112.i.i15.i.i, label %B772.endif.i.i55.i.i [
    i64 3, label %B108.i.i51.i.i
    i64 5, label %B108.i.i51.i.i
    i64 7, label %B194.i.i46.i.i
    i64 2, label %B318.i.i35.i.i
    i64 4, label %B318.i.i35.i.i
    i64 6, label %B514.i.i26.i.i
    i64 0, label %B670.endif.i.i18.i.i
  ]

B108.i.i51.i.i:                                   ; preds = %B40.i13.i.i, %B40.i13.i.i
  %.192.i.i52.i.i = lshr i64 %.159.i.i17.i.i, 3
  %140 = getelementptr i64, ptr %arg.longs, i64 %.192.i.i52.i.i
  %.224.i.i53.i.i = getelementptr i64, ptr %140, i64 %row.2.0.i.i
  %.225.i.i54.i.i = load i64, ptr %.224.i.i53.i.i, align 8
  br label %is_blank.exit.i

B194.i.i46.i.i:                                   ; preds = %B40.i13.i.i
  %.249.i.i47.i.i = lshr i64 %.159.i.i17.i.i, 3
  %141 = getelementptr i64, ptr %arg.longs, i64 %.249.i.i47.i.i
  %.282.idx.i.i48.i.i = shl i64 %row.2.0.i.i, 4
  %.282.i.i49.i.i = getelementptr i8, ptr %141, i64 %.282.idx.i.i48.i.i
  %.283.i.i50.i.i = load i64, ptr %.282.i.i49.i.i, align 8
  br label %is_blank.exit.i

B318.i.i35.i.i:                                   ; preds = %B40.i13.i.i, %B40.i13.i.i
  %.308.i.i36.i.i = lshr i64 %.159.i.i17.i.i, 2
  %142 = getelementptr i32, ptr %arg.ints, i64 %.308.i.i36.i.i
  %.340.i.i37.i.i = getelementptr i32, ptr %142, i64 %row.2.0.i.i
  %.341.i.i38.i.i = load i32, ptr %.340.i.i37.i.i, align 4
  %.347.i.i39.i.i = zext i32 %.341.i.i38.i.i to i64
  %.348.i.i40.i.i = shl nuw i64 %.347.i.i39.i.i, 32
  %.353.i.i41.i.i = icmp eq i64 %.112.i.i15.i.i, 4
  %.10.i.i.i42.i.i = icmp slt i64 %.348.i.i40.i.i, 0
  %"$phi82.1.2.0.i.i.i43.i.i" = select i1 %.10.i.i.i42.i.i, i64 -4294967296, i64 0
  %.31.i.i.i44.i.i = or disjoint i64 %"$phi82.1.2.0.i.i.i43.i.i", %.347.i.i39.i.i
  %"$phi490.0.2.0.i.i45.i.i" = select i1 %.353.i.i41.i.i, i64 %.348.i.i40.i.i, i64 %.31.i.i.i44.i.i
  br label %is_blank.exit.i

B514.i.i26.i.i:                                   ; preds = %B40.i13.i.i
  %.414.i.i27.i.i = add i64 %.159.i.i17.i.i, %row.2.0.i.i
  %.415.i.i28.i.i = lshr i64 %.414.i.i27.i.i, 3
  %.441.i.i29.i.i = getelementptr i8, ptr %arg.octets, i64 %.415.i.i28.i.i
  %.442.i.i30.i.i = load i8, ptr %.441.i.i29.i.i, align 1
  %.448.i.i31.i.i = zext i8 %.442.i.i30.i.i to i64
  %.456.i.i32.i.i = and i64 %.414.i.i27.i.i, 7
  %.457.i.i33.i.i = lshr i64 %.448.i.i31.i.i, %.456.i.i32.i.i
  %.458.i.i34.i.i = and i64 %.457.i.i33.i.i, 1
  br label %is_blank.exit.i

B670.endif.i.i18.i.i:                             ; preds = %B40.i13.i.i
  %143 = getelementptr i8, ptr %arg.octets, i64 %.159.i.i17.i.i
  %.499.i.i19.i.i = getelementptr i8, ptr %143, i64 %row.2.0.i.i
  %.500.i.i20.i.i = load i8, ptr %.499.i.i19.i.i, align 1
  %.506.i.i21.i.i = zext i8 %.500.i.i20.i.i to i64
  %.10.i1.not.i.i22.i.i = icmp sgt i8 %.500.i.i20.i.i, -1
  %"$phi82.1.2.0.i2.i.i23.i.i" = select i1 %.10.i1.not.i.i22.i.i, i64 0, i64 -256
  %.31.i3.i.i24.i.i = or disjoint i64 %"$phi82.1.2.0.i2.i.i23.i.i", %.506.i.i21.i.i
  br label %is_blank.exit.i

B772.endif.i.i55.i.i:                             ; preds = %B40.i13.i.i
  %.536.i.i56.i.i = shl i64 %row.2.0.i.i, 1
  %144 = getelementptr i8, ptr %arg.octets, i64 %.159.i.i17.i.i
  %.564.i.i57.i.i = getelementptr i8, ptr %144, i64 %.536.i.i56.i.i
  %.565.i.i58.i.i = load i16, ptr %.564.i.i57.i.i, align 1
  %145 = zext i16 %.565.i.i58.i.i to i64
  %.10.i4.not.i.i59.i.i = icmp sgt i16 %.565.i.i58.i.i, -1
  %"$phi82.1.2.0.i5.i.i60.i.i" = select i1 %.10.i4.not.i.i59.i.i, i64 0, i64 -65536
  %.31.i6.i.i61.i.i = or disjoint i64 %"$phi82.1.2.0.i5.i.i60.i.i", %145
  br label %is_blank.exit.i

is_blank.exit.i: ; preds = %B772.endif.i.i55.i.i, %B670.endif.i.i18.i.i, %B514.i.i26.i.i, %B318.i.i35.i.i, %B194.i.i46.i.i, %B108.i.i51.i.i, %has.exit.i5.i.i
  %"$phi92.0.2.0.i25.i.i" = phi i64 [ -1, %has.exit.i5.i.i ], [ %.31.i6.i.i61.i.i, %B772.endif.i.i55.i.i ], [ %.31.i3.i.i24.i.i, %B670.endif.i.i18.i.i ], [ %.458.i.i34.i.i, %B514.i.i26.i.i ], [ %"$phi490.0.2.0.i.i45.i.i", %B318.i.i35.i.i ], [ %.283.i.i50.i.i, %B194.i.i46.i.i ], [ %.225.i.i54.i.i, %B108.i.i51.i.i ]
  %.386.i.not.i = icmp eq i64 %"$phi92.0.2.0.i25.i.i", %"$phi92.0.2.0.i.i75.i"
  br i1 %.386.i.not.i, label %B1130.i.i, label %place_of.exit.i

B1130.i.i:                                        ; preds = %is_blank.exit.i, %B1042.i.i, %B1038.i.i, %B996.i.i, %order.exit.i.i, %B582.i.i
  %best.3.1.i.i = phi i64 [ %best.5.0.i.i, %is_blank.exit.i ], [ %row.2.0.i.i, %B1042.i.i ], [ %best.5.0.i.i, %B1038.i.i ], [ %best.5.0.i.i, %B996.i.i ], [ %best.5.0.i.i, %order.exit.i.i ], [ %best.5.0.i.i, %B582.i.i ]
  %best_at.3.1.i.i = phi i64 [ %best_at.2.0.i.i, %is_blank.exit.i ], [ %at.5.1595.i.i, %B1042.i.i ], [ %best_at.2.0.i.i, %B1038.i.i ], [ %best_at.2.0.i.i, %B996.i.i ], [ %best_at.2.0.i.i, %order.exit.i.i ], [ %best_at.2.0.i.i, %B582.i.i ]
  %best_length.3.1.i.i = phi i64 [ %arg.other_length.fr.i.i.i, %is_blank.exit.i ], [ %length.4.1593.i.i, %B1042.i.i ], [ %arg.other_length.fr.i.i.i, %B1038.i.i ], [ %arg.other_length.fr.i.i.i, %B996.i.i ], [ %arg.other_length.fr.i.i.i, %order.exit.i.i ], [ %arg.other_length.fr.i.i.i, %B582.i.i ]
  %best_head.3.1.i.i = phi i64 [ %best_head.2.0.i.i, %is_blank.exit.i ], [ %own.2.1591.i.i, %B1042.i.i ], [ %best_head.2.0.i.i, %B1038.i.i ], [ %best_head.2.0.i.i, %B996.i.i ], [ %best_head.2.0.i.i, %order.exit.i.i ], [ %best_head.2.0.i.i, %B582.i.i ]
  %some.3.1.i.i = phi i1 [ %some.2.0.i.i, %is_blank.exit.i ], [ true, %B1042.i.i ], [ true, %B1038.i.i ], [ true, %B996.i.i ], [ true, %order.exit.i.i ], [ true, %B582.i.i ]
  %.1344.i.i = add i64 %row.2.0.i.i, 1
  %lsr.iv.next.i.i = add i64 %lsr.iv.i.i, 2
  %lsr.iv.next30.i.i = add i64 %lsr.iv29.i.i, %.395.i.i
  %exitcond.not.i5.i = icmp eq i64 %.789.us.i, %.1344.i.i
  br i1 %exitcond.not.i5.i, label %B1164.loopexit.i.i, label %B378.i.i

B1164.loopexit.i.i:                               ; preds = %B1130.i.i
  %146 = xor i1 %some.3.1.i.i, true
  %147 = zext i1 %146 to i8
  br label %place_of.exit.i

B884.endif.i.i:                                   ; preds = %B126.endif.i.i.i, %B544.i.i.i, %B884.i.i
  %.143.sink.i.i.i = phi i64 [ %.143.i.i.i, %B126.endif.i.i.i ], [ %.228.i.i.i, %B544.i.i.i ], [ 0, %B884.i.i ]
  %.954.i.i = icmp eq i64 %.143.sink.i.i.i, %best_head.2.0.i.i
  br i1 %.954.i.i, label %B932.i.i, label %B984.i.i

place_of.exit.i: ; preds = %is_blank.exit.i, %count_of.exit.i74.i, %has.exit.i.i58.i, %B1070.i.i, %B1164.loopexit.i.i, %B332.i.i
  %.824.sroa.4.0.i = phi i8 [ 1, %B332.i.i ], [ %147, %B1164.loopexit.i.i ], [ 1, %B1070.i.i ], [ 1, %has.exit.i.i58.i ], [ 1, %count_of.exit.i74.i ], [ 1, %is_blank.exit.i ]
  %.824.sroa.0.0.i = phi i64 [ 0, %B332.i.i ], [ %best.3.1.i.i, %B1164.loopexit.i.i ], [ 0, %B1070.i.i ], [ 0, %has.exit.i.i58.i ], [ 0, %count_of.exit.i74.i ], [ 0, %is_blank.exit.i ]
  %scevgep56.i = getelementptr i8, ptr %lsr.iv48.i, i64 %zone.5.1.us.i
  store i8 %.824.sroa.4.0.i, ptr %scevgep56.i, align 1
  %scevgep39.i = getelementptr i8, ptr %83, i64 %sunkaddr.i
  store i64 %.824.sroa.0.0.i, ptr %scevgep39.i, align 8
  %.1348.us.i = add nuw i64 %zone.5.1.us.i, 1
  %exitcond714.not.i = icmp eq i64 %.192.i, %.1348.us.i
  br i1 %exitcond714.not.i, label %B1476.loopexit.i, label %B686.us.i

B686.i:                                           ; preds = %B1442.i, %B686.preheader.i
  %lsr.iv.i = phi ptr [ %scevgep43.i, %B686.preheader.i ], [ %scevgep44.i, %B1442.i ]
  %zone.5.1.i = phi i64 [ 0, %B686.preheader.i ], [ %.1348.i, %B1442.i ]
  %sunkaddr73.i = shl i64 %zone.5.1.i, 3
  %sunkaddr74.i = getelementptr i8, ptr %arg.starts, i64 %sunkaddr73.i
  %.910.i = load i64, ptr %sunkaddr74.i, align 8
  %sunkaddr77.i = getelementptr i8, ptr %sunkaddr74.i, i64 8
  %.939.i = load i64, ptr %sunkaddr77.i, align 8
  %.141.i.i = load i64, ptr %79, align 8
  %.idx.i7.i = mul i64 %.141.i.i, 40
  %148 = getelementptr i8, ptr %arg.columns, i64 %.idx.i7.i
  %.237.i.i = getelementptr i8, ptr %148, i64 24
  %.238.i.i = load i64, ptr %.237.i.i, align 8
  %.293.i.i = load i64, ptr %.292.i.i, align 8
  %.296.i8.i = icmp eq i64 %.293.i.i, 2
  %spec.select.i9.i = sext i1 %.296.i8.i to i64
  %.360.i.i = load i64, ptr %148, align 8
  %.363.i.i = icmp eq i64 %.360.i.i, -1
  br i1 %.363.i.i, label %B228.i.i, label %B1004.i.i

B228.i.i:                                         ; preds = %B686.i
  switch i64 %.238.i.i, label %B1004.i.i [
    i64 3, label %B250.i47.i
    i64 7, label %B500.i.i
    i64 2, label %B766.i.i
  ]

B250.i47.i:                                       ; preds = %B228.i.i
  %sunkaddr135.i.i = getelementptr i8, ptr %148, i64 8
  %.451.i.i = load i64, ptr %sunkaddr135.i.i, align 8
  %.463.i.i = xor i64 %spec.select.i9.i, -9223372036854775808
  %.474.i.i = icmp ugt i64 %.939.i, %.910.i
  br i1 %.474.i.i, label %B328.preheader.i.i, label %B416.i48.i

B328.preheader.i.i:                               ; preds = %B250.i47.i
  %.461.i.i = lshr i64 %.451.i.i, 3
  %149 = getelementptr i64, ptr %arg.longs, i64 %.461.i.i
  %150 = sub nuw i64 %.939.i, %.910.i
  %min.iters.check69.i.i = icmp ult i64 %150, 4
  br i1 %min.iters.check69.i.i, label %B328.endif.i.i.preheader, label %vector.ph70.i.i

B328.endif.i.i.preheader:                         ; preds = %middle.block83.i.i, %B328.preheader.i.i
  %row.5.0.i.i.ph = phi i64 [ %161, %middle.block83.i.i ], [ %.910.i, %B328.preheader.i.i ]
  %least.5.0.i.i.ph = phi i64 [ %162, %middle.block83.i.i ], [ -1, %B328.preheader.i.i ]
  br label %B328.endif.i.i

vector.ph70.i.i:                                  ; preds = %B328.preheader.i.i
  %n.vec72.i.i = and i64 %150, -4
  %broadcast.splatinsert73.i.i = insertelement <2 x i64> poison, i64 %.463.i.i, i64 0
  %broadcast.splat74.i.i = shufflevector <2 x i64> %broadcast.splatinsert73.i.i, <2 x i64> poison, <2 x i32> zeroinitializer
  %151 = shl i64 %.910.i, 3
  %152 = and i64 %.451.i.i, -8
  %153 = getelementptr i8, ptr %arg.longs, i64 %151
  %154 = getelementptr i8, ptr %153, i64 %152
  %scevgep108.i50.i = getelementptr i8, ptr %154, i64 16
  br label %vector.body75.i.i

vector.body75.i.i:                                ; preds = %vector.body75.i.i, %vector.ph70.i.i
  %index76.i.i = phi i64 [ 0, %vector.ph70.i.i ], [ %index.next82.i.i, %vector.body75.i.i ]
  %vec.phi77.i.i = phi <2 x i64> [ splat (i64 -1), %vector.ph70.i.i ], [ %158, %vector.body75.i.i ]
  %vec.phi78.i.i = phi <2 x i64> [ splat (i64 -1), %vector.ph70.i.i ], [ %159, %vector.body75.i.i ]
  %155 = shl i64 %index76.i.i, 3
  %scevgep110.i51.i = getelementptr i8, ptr %scevgep108.i50.i, i64 %155
  %scevgep111.i.i = getelementptr i8, ptr %scevgep110.i51.i, i64 -16
  %wide.load80.i.i = load <2 x i64>, ptr %scevgep111.i.i, align 8
  %wide.load81.i.i = load <2 x i64>, ptr %scevgep110.i51.i, align 8
  %156 = xor <2 x i64> %wide.load80.i.i, %broadcast.splat74.i.i
  %157 = xor <2 x i64> %wide.load81.i.i, %broadcast.splat74.i.i
  %158 = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %156, <2 x i64> %vec.phi77.i.i)
  %159 = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %157, <2 x i64> %vec.phi78.i.i)
  %index.next82.i.i = add nuw i64 %index76.i.i, 4
  %160 = icmp eq i64 %n.vec72.i.i, %index.next82.i.i
  br i1 %160, label %middle.block83.i.i, label %vector.body75.i.i

middle.block83.i.i:                               ; preds = %vector.body75.i.i
  %161 = add i64 %n.vec72.i.i, %.910.i
  %rdx.minmax84.i.i = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %158, <2 x i64> %159)
  %rdx.shuf.i52.i = shufflevector <2 x i64> %rdx.minmax84.i.i, <2 x i64> poison, <2 x i32> <i32 1, i32 poison>
  %rdx.minmax131.i.i = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %rdx.minmax84.i.i, <2 x i64> %rdx.shuf.i52.i)
  %162 = extractelement <2 x i64> %rdx.minmax131.i.i, i64 0
  %cmp.n85.i.i = icmp eq i64 %150, %n.vec72.i.i
  br i1 %cmp.n85.i.i, label %B416.i48.i, label %B328.endif.i.i.preheader

B416.i48.i:                                       ; preds = %B328.endif.i.i, %middle.block83.i.i, %B250.i47.i
  %least.6.1.i.i = phi i64 [ -1, %B250.i47.i ], [ %162, %middle.block83.i.i ], [ %.13.i.i54.i, %B328.endif.i.i ]
  %.567.i49.i = xor i64 %least.6.1.i.i, %.463.i.i
  br label %number_of.exit.i

B500.i.i:                                         ; preds = %B228.i.i
  %.732.i.i = xor i64 %spec.select.i9.i, -9223372036854775808
  %.743.i.i = icmp ugt i64 %.939.i, %.910.i
  br i1 %.743.i.i, label %B578.preheader.i.i, label %B682.i.i

B578.preheader.i.i:                               ; preds = %B500.i.i
  %sunkaddr138.i.i = getelementptr i8, ptr %148, i64 8
  %.720.i40.i = load i64, ptr %sunkaddr138.i.i, align 8
  %.730.i.i = and i64 %.720.i40.i, -8
  %163 = sub nuw i64 %.939.i, %.910.i
  %xtraiter.i.i = and i64 %163, 3
  %164 = sub i64 %.910.i, %.939.i
  %165 = icmp ugt i64 %164, -4
  br i1 %165, label %B578.endif.epil.preheader.i.i, label %B578.preheader.new.i.i

B578.preheader.new.i.i:                           ; preds = %B578.preheader.i.i
  %166 = shl i64 %.910.i, 4
  %167 = getelementptr i8, ptr %arg.longs, i64 %166
  %168 = getelementptr i8, ptr %167, i64 %.730.i.i
  %scevgep114.i.i = getelementptr i8, ptr %168, i64 48
  %.neg.i41.i = and i64 %163, -4
  br label %B578.endif.i.i

B682.loopexit.unr-lcssa.i.i:                      ; preds = %B578.endif.i.i
  %lcmp.mod.not.i43.i = icmp eq i64 %xtraiter.i.i, 0
  %169 = add i64 %.neg.i41.i, %.910.i
  br i1 %lcmp.mod.not.i43.i, label %B682.i.i, label %B578.endif.epil.preheader.i.i

B578.endif.epil.preheader.i.i:                    ; preds = %B682.loopexit.unr-lcssa.i.i, %B578.preheader.i.i
  %row.6.0.epil.init.i.i = phi i64 [ %.910.i, %B578.preheader.i.i ], [ %169, %B682.loopexit.unr-lcssa.i.i ]
  %least.7.0.epil.init.i44.i = phi i64 [ -1, %B578.preheader.i.i ], [ %.13.i31.3.i.i, %B682.loopexit.unr-lcssa.i.i ]
  %170 = shl i64 %row.6.0.epil.init.i.i, 4
  %171 = getelementptr i8, ptr %arg.longs, i64 %170
  %scevgep112.i.i = getelementptr i8, ptr %171, i64 %.730.i.i
  %172 = shl nuw nsw i64 %xtraiter.i.i, 4
  br label %B578.endif.epil.i.i

B578.endif.epil.i.i:                              ; preds = %B578.endif.epil.i.i, %B578.endif.epil.preheader.i.i
  %lsr.iv.i45.i = phi i64 [ %lsr.iv.next.i46.i, %B578.endif.epil.i.i ], [ 0, %B578.endif.epil.preheader.i.i ]
  %least.7.0.epil.i.i = phi i64 [ %.13.i31.epil.i.i, %B578.endif.epil.i.i ], [ %least.7.0.epil.init.i44.i, %B578.endif.epil.preheader.i.i ]
  %scevgep113.i.i = getelementptr i8, ptr %scevgep112.i.i, i64 %lsr.iv.i45.i
  %.777.epil.i.i = load i64, ptr %scevgep113.i.i, align 8
  %.779.epil.i.i = xor i64 %.777.epil.i.i, %.732.i.i
  %.13.i31.epil.i.i = tail call i64 @llvm.umin.i64(i64 %.779.epil.i.i, i64 %least.7.0.epil.i.i)
  %lsr.iv.next.i46.i = add nuw nsw i64 %lsr.iv.i45.i, 16
  %epil.iter.cmp.not.i.i = icmp eq i64 %172, %lsr.iv.next.i46.i
  br i1 %epil.iter.cmp.not.i.i, label %B682.i.i, label %B578.endif.epil.i.i

B682.i.i:                                         ; preds = %B578.endif.epil.i.i, %B682.loopexit.unr-lcssa.i.i, %B500.i.i
  %least.8.1.i.i = phi i64 [ -1, %B500.i.i ], [ %.13.i31.3.i.i, %B682.loopexit.unr-lcssa.i.i ], [ %.13.i31.epil.i.i, %B578.endif.epil.i.i ]
  %.835.i.i = xor i64 %least.8.1.i.i, %.732.i.i
  br label %number_of.exit.i

B766.i.i:                                         ; preds = %B228.i.i
  %sunkaddr141.i.i = getelementptr i8, ptr %148, i64 8
  %.988.i.i = load i64, ptr %sunkaddr141.i.i, align 8
  %.1000.i.i = xor i64 %spec.select.i9.i, -9223372036854775808
  %.1011.i.i = icmp ugt i64 %.939.i, %.910.i
  br i1 %.1011.i.i, label %B844.preheader.i.i, label %B974.i.i

B844.preheader.i.i:                               ; preds = %B766.i.i
  %.998.i.i = lshr i64 %.988.i.i, 2
  %173 = getelementptr i32, ptr %arg.ints, i64 %.998.i.i
  %174 = sub nuw i64 %.939.i, %.910.i
  %min.iters.check.i20.i = icmp ult i64 %174, 4
  br i1 %min.iters.check.i20.i, label %B844.endif.i.i.preheader, label %vector.ph.i21.i

B844.endif.i.i.preheader:                         ; preds = %middle.block.i30.i, %B844.preheader.i.i
  %row.7.0.i36.i.ph = phi i64 [ %189, %middle.block.i30.i ], [ %.910.i, %B844.preheader.i.i ]
  %least.9.0.i37.i.ph = phi i64 [ %190, %middle.block.i30.i ], [ -1, %B844.preheader.i.i ]
  br label %B844.endif.i.i

vector.ph.i21.i:                                  ; preds = %B844.preheader.i.i
  %n.vec.i22.i = and i64 %174, -4
  %broadcast.splatinsert.i.i = insertelement <2 x i64> poison, i64 %.1000.i.i, i64 0
  %broadcast.splat.i.i = shufflevector <2 x i64> %broadcast.splatinsert.i.i, <2 x i64> poison, <2 x i32> zeroinitializer
  %175 = shl i64 %.910.i, 2
  %176 = and i64 %.988.i.i, -4
  %177 = getelementptr i8, ptr %arg.ints, i64 %175
  %178 = getelementptr i8, ptr %177, i64 %176
  %scevgep123.i23.i = getelementptr i8, ptr %178, i64 8
  br label %vector.body.i24.i

vector.body.i24.i:                                ; preds = %vector.body.i24.i, %vector.ph.i21.i
  %index.i25.i = phi i64 [ 0, %vector.ph.i21.i ], [ %index.next.i29.i, %vector.body.i24.i ]
  %vec.phi.i26.i = phi <2 x i64> [ splat (i64 -1), %vector.ph.i21.i ], [ %186, %vector.body.i24.i ]
  %vec.phi66.i.i = phi <2 x i64> [ splat (i64 -1), %vector.ph.i21.i ], [ %187, %vector.body.i24.i ]
  %179 = shl i64 %index.i25.i, 2
  %scevgep125.i.i = getelementptr i8, ptr %scevgep123.i23.i, i64 %179
  %scevgep126.i27.i = getelementptr i8, ptr %scevgep125.i.i, i64 -8
  %wide.load.i28.i = load <2 x i32>, ptr %scevgep126.i27.i, align 4
  %wide.load67.i.i = load <2 x i32>, ptr %scevgep125.i.i, align 4
  %180 = zext <2 x i32> %wide.load.i28.i to <2 x i64>
  %181 = zext <2 x i32> %wide.load67.i.i to <2 x i64>
  %182 = shl nuw <2 x i64> %180, splat (i64 32)
  %183 = shl nuw <2 x i64> %181, splat (i64 32)
  %184 = xor <2 x i64> %182, %broadcast.splat.i.i
  %185 = xor <2 x i64> %183, %broadcast.splat.i.i
  %186 = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %184, <2 x i64> %vec.phi.i26.i)
  %187 = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %185, <2 x i64> %vec.phi66.i.i)
  %index.next.i29.i = add nuw i64 %index.i25.i, 4
  %188 = icmp eq i64 %n.vec.i22.i, %index.next.i29.i
  br i1 %188, label %middle.block.i30.i, label %vector.body.i24.i

middle.block.i30.i:                               ; preds = %vector.body.i24.i
  %189 = add i64 %n.vec.i22.i, %.910.i
  %rdx.minmax.i31.i = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %186, <2 x i64> %187)
  %rdx.shuf132.i32.i = shufflevector <2 x i64> %rdx.minmax.i31.i, <2 x i64> poison, <2 x i32> <i32 1, i32 poison>
  %rdx.minmax133.i33.i = tail call <2 x i64> @llvm.umin.v2i64(<2 x i64> %rdx.minmax.i31.i, <2 x i64> %rdx.shuf132.i32.i)
  %190 = extractelement <2 x i64> %rdx.minmax133.i33.i, i64 0
  %cmp.n.i34.i = icmp eq i64 %174, %n.vec.i22.i
  br i1 %cmp.n.i34.i, label %B974.i.i, label %B844.endif.i.i.preheader

B974.i.i:                                         ; preds = %B844.endif.i.i, %middle.block.i30.i, %B766.i.i
  %least.10.1.i19.i = phi i64 [ -1, %B766.i.i ], [ %190, %middle.block.i30.i ], [ %.13.i32.i.i, %B844.endif.i.i ]
  %.1104.i.i = xor i64 %least.10.1.i19.i, %.1000.i.i
  %.1109.i.i = lshr i64 %.1104.i.i, 32
  br label %number_of.exit.i

B1004.i.i:                                        ; preds = %B228.i.i, %B686.i
  %.1143.i.i = icmp ugt i64 %.939.i, %.910.i
  br i1 %.1143.i.i, label %B1020.preheader.i.i, label %number_of.exit.i

B1020.preheader.i.i:                              ; preds = %B1004.i.i
  %191 = and i64 %.238.i.i, -2
  %.158.i.i.i = getelementptr i8, ptr %148, i64 8
  %.159.i.i.i = load i64, ptr %.158.i.i.i, align 8
  %192 = getelementptr i8, ptr %arg.octets, i64 %.159.i.i.i
  %.308.i.i.i = lshr i64 %.159.i.i.i, 2
  %193 = getelementptr i32, ptr %arg.ints, i64 %.308.i.i.i
  %.353.i.i.i = icmp eq i64 %.238.i.i, 4
  %.249.i.i.i = lshr i64 %.159.i.i.i, 3
  %194 = getelementptr i64, ptr %arg.longs, i64 %.249.i.i.i
  %195 = icmp eq i64 %191, 4
  br label %B1020.outer.i.i

B1020.outer.i.i:                                  ; preds = %B1260.thread.i.i, %B1020.preheader.i.i
  %row.8.0.ph.i.i = phi i64 [ %.14923.i.i, %B1260.thread.i.i ], [ %.910.i, %B1020.preheader.i.i ]
  %least.11.0.ph.i.i = phi i64 [ %.13.i33.i.i, %B1260.thread.i.i ], [ -1, %B1020.preheader.i.i ]
  %some.4.0.ph.i.i = phi i1 [ true, %B1260.thread.i.i ], [ false, %B1020.preheader.i.i ]
  br label %B1020.i.i

B1020.i.i:                                        ; preds = %B1260.i.i, %B1020.outer.i.i
  %row.8.0.i.i = phi i64 [ %.1492.i.i, %B1260.i.i ], [ %row.8.0.ph.i.i, %B1020.outer.i.i ]
  switch i64 %.238.i.i, label %B772.endif.i.i.i [
    i64 3, label %B108.i.i.i
    i64 5, label %B108.i.i.i
    i64 7, label %B194.i.i.i
    i64 2, label %B318.i.i.i
    i64 4, label %B318.i.i.i
    i64 6, label %B514.i.i.i
    i64 0, label %B670.endif.i.i.i
  ]

B108.i.i.i:                                       ; preds = %B1020.i.i, %B1020.i.i
  %.224.i.i18.i = getelementptr i64, ptr %194, i64 %row.8.0.i.i
  %.225.i.i.i = load i64, ptr %.224.i.i18.i, align 8
  br label %raw.exit.i.i

B194.i.i.i:                                       ; preds = %B1020.i.i
  %.282.idx.i.i.i = shl i64 %row.8.0.i.i, 4
  %.282.i.i.i = getelementptr i8, ptr %194, i64 %.282.idx.i.i.i
  %.283.i.i.i = load i64, ptr %.282.i.i.i, align 8
  br label %raw.exit.i.i

B318.i.i.i:                                       ; preds = %B1020.i.i, %B1020.i.i
  %.340.i.i.i = getelementptr i32, ptr %193, i64 %row.8.0.i.i
  %.341.i.i.i = load i32, ptr %.340.i.i.i, align 4
  %.347.i.i.i = zext i32 %.341.i.i.i to i64
  %.348.i.i.i = shl nuw i64 %.347.i.i.i, 32
  %.10.i.i.i.i = icmp slt i64 %.348.i.i.i, 0
  %"$phi82.1.2.0.i.i.i.i" = select i1 %.10.i.i.i.i, i64 -4294967296, i64 0
  %.31.i.i.i.i = or disjoint i64 %"$phi82.1.2.0.i.i.i.i", %.347.i.i.i
  %"$phi490.0.2.0.i.i.i" = select i1 %.353.i.i.i, i64 %.348.i.i.i, i64 %.31.i.i.i.i
  br label %raw.exit.i.i

B514.i.i.i:                                       ; preds = %B1020.i.i
  %.414.i.i.i = add i64 %row.8.0.i.i, %.159.i.i.i
  %.415.i.i.i = lshr i64 %.414.i.i.i, 3
  %.441.i.i.i = getelementptr i8, ptr %arg.octets, i64 %.415.i.i.i
  %.442.i.i.i = load i8, ptr %.441.i.i.i, align 1
  %.448.i.i.i = zext i8 %.442.i.i.i to i64
  %.456.i.i.i = and i64 %.414.i.i.i, 7
  %.457.i.i.i = lshr i64 %.448.i.i.i, %.456.i.i.i
  %.458.i.i.i = and i64 %.457.i.i.i, 1
  br label %raw.exit.i.i

B670.endif.i.i.i:                                 ; preds = %B1020.i.i
  %.499.i.i.i = getelementptr i8, ptr %192, i64 %row.8.0.i.i
  %.500.i.i.i = load i8, ptr %.499.i.i.i, align 1
  %.506.i.i.i = zext i8 %.500.i.i.i to i64
  %.10.i1.not.i.i.i = icmp sgt i8 %.500.i.i.i, -1
  %"$phi82.1.2.0.i2.i.i.i" = select i1 %.10.i1.not.i.i.i, i64 0, i64 -256
  %.31.i3.i.i.i = or disjoint i64 %"$phi82.1.2.0.i2.i.i.i", %.506.i.i.i
  br label %raw.exit.i.i

B772.endif.i.i.i:                                 ; preds = %B1020.i.i
  %.536.i.i.i = shl i64 %row.8.0.i.i, 1
  %.564.i.i.i = getelementptr i8, ptr %192, i64 %.536.i.i.i
  %.565.i.i.i = load i16, ptr %.564.i.i.i, align 1
  %196 = zext i16 %.565.i.i.i to i64
  %.10.i4.not.i.i.i = icmp sgt i16 %.565.i.i.i, -1
  %"$phi82.1.2.0.i5.i.i.i" = select i1 %.10.i4.not.i.i.i, i64 0, i64 -65536
  %.31.i6.i.i.i = or disjoint i64 %"$phi82.1.2.0.i5.i.i.i", %196
  br label %raw.exit.i.i

raw.exit.i.i: ; preds = %B772.endif.i.i.i, %B670.endif.i.i.i, %B514.i.i.i, %B318.i.i.i, %B194.i.i.i, %B108.i.i.i
  %.31.i6.sink.i.i.i = phi i64 [ %.31.i6.i.i.i, %B772.endif.i.i.i ], [ %.31.i3.i.i.i, %B670.endif.i.i.i ], [ %.458.i.i.i, %B514.i.i.i ], [ %"$phi490.0.2.0.i.i.i", %B318.i.i.i ], [ %.283.i.i.i, %B194.i.i.i ], [ %.225.i.i.i, %B108.i.i.i ]
  br i1 %.363.i.i, label %B1096.i.i, label %has.exit.i10.i

B1096.i.i:                                        ; preds = %has.exit.i10.i, %raw.exit.i.i
  switch i64 %.238.i.i, label %B1260.thread.i.i [
    i64 5, label %B38.i.i.i
    i64 4, label %is_nan.exit.i.i
  ]

B38.i.i.i:                                        ; preds = %B1096.i.i
  %.18.i.i.i = and i64 %.31.i6.sink.i.i.i, 9223372036854775807
  %.19.i.i.i = icmp samesign ugt i64 %.18.i.i.i, 9218868437227405312
  br i1 %.19.i.i.i, label %B1200.i.i, label %B1260.thread.i.i

is_nan.exit.i.i: ; preds = %B1096.i.i
  %.33.i.i.i = and i64 %.31.i6.sink.i.i.i, 9223372036854775807
  %.36.i.i.i = icmp samesign ugt i64 %.33.i.i.i, 9187343239835811840
  br i1 %.36.i.i.i, label %B1200.i.i, label %B1260.thread.i.i

B1200.i.i:                                        ; preds = %has.exit.i10.i, %is_nan.exit.i.i, %B38.i.i.i
  %.132.i113.i = load i64, ptr %.131.i112.i, align 8
  %.179.i115.i = load i64, ptr %.178.i114.i, align 8
  %.194.i116.i = icmp eq i64 %.132.i113.i, -1
  %.197.i117.i = icmp eq i64 %.179.i115.i, -1
  %or.cond.i118.i = select i1 %.194.i116.i, i1 true, i1 %.197.i117.i
  br i1 %or.cond.i118.i, label %number_of.exit.i, label %B112.i119.i

B112.i119.i:                                      ; preds = %B1200.i.i
  %.89.i.idx.i.i120.i = mul i64 %.179.i115.i, 40
  %.89.i.i.i121.i = getelementptr i8, ptr %arg.columns, i64 %.89.i.idx.i.i120.i
  %.90.i.i.i122.i = load i64, ptr %.89.i.i.i121.i, align 8
  %.93.i.i.i123.i = icmp eq i64 %.90.i.i.i122.i, -1
  br i1 %.93.i.i.i123.i, label %B40.i.i132.i, label %has.exit.i.i124.i

has.exit.i.i124.i: ; preds = %B112.i119.i
  %.173.i.i.i125.i = add i64 %.90.i.i.i122.i, %row.8.0.i.i
  %.176.i.i.i126.i = lshr i64 %.173.i.i.i125.i, 3
  %.202.i.i.i127.i = getelementptr i8, ptr %arg.octets, i64 %.176.i.i.i126.i
  %.203.i.i.i128.i = load i8, ptr %.202.i.i.i127.i, align 1
  %.209.i.i.i129.i = zext i8 %.203.i.i.i128.i to i64
  %.210.i.i.i130.i = and i64 %.173.i.i.i125.i, 7
  %197 = shl nuw nsw i64 1, %.210.i.i.i130.i
  %198 = and i64 %197, %.209.i.i.i129.i
  %.100.i.i131.i = icmp eq i64 %198, 0
  br i1 %.100.i.i131.i, label %number_of.exit.i, label %B40.i.i132.i

B40.i.i132.i:                                     ; preds = %has.exit.i.i124.i, %B112.i119.i
  %.111.i.i.i133.i = getelementptr i8, ptr %.89.i.i.i121.i, i64 24
  %.112.i.i.i134.i = load i64, ptr %.111.i.i.i133.i, align 8
  %.158.i.i.i135.i = getelementptr i8, ptr %.89.i.i.i121.i, i64 8
  %.159.i.i.i136.i = load i64, ptr %.158.i.i.i135.i, align 8
  switch i64 %.112.i.i.i134.i, label %B772.endif.i.i.i241.i [
    i64 3, label %B108.i.i.i237.i
    i64 5, label %B108.i.i.i237.i
    i64 7, label %B194.i.i.i232.i
    i64 2, label %B318.i.i.i221.i
    i64 4, label %B318.i.i.i221.i
    i64 6, label %B514.i.i.i212.i
    i64 0, label %B670.endif.i.i.i137.i
  ]

B108.i.i.i237.i:                                  ; preds = %B40.i.i132.i, %B40.i.i132.i
  %.192.i.i.i238.i = lshr i64 %.159.i.i.i136.i, 3
  %199 = getelementptr i64, ptr %arg.longs, i64 %.192.i.i.i238.i
  %.224.i.i.i239.i = getelementptr i64, ptr %199, i64 %row.8.0.i.i
  %.225.i.i.i240.i = load i64, ptr %.224.i.i.i239.i, align 8
  br label %count_of.exit.i144.i

B194.i.i.i232.i:                                  ; preds = %B40.i.i132.i
  %.249.i.i.i233.i = lshr i64 %.159.i.i.i136.i, 3
  %200 = getelementptr i64, ptr %arg.longs, i64 %.249.i.i.i233.i
  %.282.idx.i.i.i234.i = shl i64 %row.8.0.i.i, 4
  %.282.i.i.i235.i = getelementptr i8, ptr %200, i64 %.282.idx.i.i.i234.i
  %.283.i.i.i236.i = load i64, ptr %.282.i.i.i235.i, align 8
  br label %count_of.exit.i144.i

B318.i.i.i221.i:                                  ; preds = %B40.i.i132.i, %B40.i.i132.i
  %.308.i.i.i222.i = lshr i64 %.159.i.i.i136.i, 2
  %201 = getelementptr i32, ptr %arg.ints, i64 %.308.i.i.i222.i
  %.340.i.i.i223.i = getelementptr i32, ptr %201, i64 %row.8.0.i.i
  %.341.i.i.i224.i = load i32, ptr %.340.i.i.i223.i, align 4
  %.347.i.i.i225.i = zext i32 %.341.i.i.i224.i to i64
  %.348.i.i.i226.i = shl nuw i64 %.347.i.i.i225.i, 32
  %.353.i.i.i227.i = icmp eq i64 %.112.i.i.i134.i, 4
  %.10.i.i.i.i228.i = icmp slt i64 %.348.i.i.i226.i, 0
  %"$phi82.1.2.0.i.i.i.i229.i" = select i1 %.10.i.i.i.i228.i, i64 -4294967296, i64 0
  %.31.i.i.i.i230.i = or disjoint i64 %"$phi82.1.2.0.i.i.i.i229.i", %.347.i.i.i225.i
  %"$phi490.0.2.0.i.i.i231.i" = select i1 %.353.i.i.i227.i, i64 %.348.i.i.i226.i, i64 %.31.i.i.i.i230.i
  br label %count_of.exit.i144.i

B514.i.i.i212.i:                                  ; preds = %B40.i.i132.i
  %.414.i.i.i213.i = add i64 %.159.i.i.i136.i, %row.8.0.i.i
  %.415.i.i.i214.i = lshr i64 %.414.i.i.i213.i, 3
  %.441.i.i.i215.i = getelementptr i8, ptr %arg.octets, i64 %.415.i.i.i214.i
  %.442.i.i.i216.i = load i8, ptr %.441.i.i.i215.i, align 1
  %.448.i.i.i217.i = zext i8 %.442.i.i.i216.i to i64
  %.456.i.i.i218.i = and i64 %.414.i.i.i213.i, 7
  %.457.i.i.i219.i = lshr i64 %.448.i.i.i217.i, %.456.i.i.i218.i
  %.458.i.i.i220.i = and i64 %.457.i.i.i219.i, 1
  br label %count_of.exit.i144.i

B670.endif.i.i.i137.i:                            ; preds = %B40.i.i132.i
  %202 = getelementptr i8, ptr %arg.octets, i64 %.159.i.i.i136.i
  %.499.i.i.i138.i = getelementptr i8, ptr %202, i64 %row.8.0.i.i
  %.500.i.i.i139.i = load i8, ptr %.499.i.i.i138.i, align 1
  %.506.i.i.i140.i = zext i8 %.500.i.i.i139.i to i64
  %.10.i1.not.i.i.i141.i = icmp sgt i8 %.500.i.i.i139.i, -1
  %"$phi82.1.2.0.i2.i.i.i142.i" = select i1 %.10.i1.not.i.i.i141.i, i64 0, i64 -256
  %.31.i3.i.i.i143.i = or disjoint i64 %"$phi82.1.2.0.i2.i.i.i142.i", %.506.i.i.i140.i
  br label %count_of.exit.i144.i

B772.endif.i.i.i241.i:                            ; preds = %B40.i.i132.i
  %.536.i.i.i242.i = shl i64 %row.8.0.i.i, 1
  %203 = getelementptr i8, ptr %arg.octets, i64 %.159.i.i.i136.i
  %.564.i.i.i243.i = getelementptr i8, ptr %203, i64 %.536.i.i.i242.i
  %.565.i.i.i244.i = load i16, ptr %.564.i.i.i243.i, align 1
  %204 = zext i16 %.565.i.i.i244.i to i64
  %.10.i4.not.i.i.i245.i = icmp sgt i16 %.565.i.i.i244.i, -1
  %"$phi82.1.2.0.i5.i.i.i246.i" = select i1 %.10.i4.not.i.i.i245.i, i64 0, i64 -65536
  %.31.i6.i.i.i247.i = or disjoint i64 %"$phi82.1.2.0.i5.i.i.i246.i", %204
  br label %count_of.exit.i144.i

count_of.exit.i144.i: ; preds = %B772.endif.i.i.i241.i, %B670.endif.i.i.i137.i, %B514.i.i.i212.i, %B318.i.i.i221.i, %B194.i.i.i232.i, %B108.i.i.i237.i
  %"$phi92.0.2.0.i.i145.i" = phi i64 [ %.225.i.i.i240.i, %B108.i.i.i237.i ], [ %.31.i6.i.i.i247.i, %B772.endif.i.i.i241.i ], [ %.31.i3.i.i.i143.i, %B670.endif.i.i.i137.i ], [ %.458.i.i.i220.i, %B514.i.i.i212.i ], [ %"$phi490.0.2.0.i.i.i231.i", %B318.i.i.i221.i ], [ %.283.i.i.i236.i, %B194.i.i.i232.i ]
  %or.cond221.i146.i = icmp sgt i64 %"$phi92.0.2.0.i.i145.i", 0
  br i1 %or.cond221.i146.i, label %B230.i148.i, label %number_of.exit.i

B230.i148.i:                                      ; preds = %count_of.exit.i144.i
  %.89.i.idx.i1.i149.i = mul i64 %.132.i113.i, 40
  %.89.i.i2.i150.i = getelementptr i8, ptr %arg.columns, i64 %.89.i.idx.i1.i149.i
  %.90.i.i3.i151.i = load i64, ptr %.89.i.i2.i150.i, align 8
  %.93.i.i4.i152.i = icmp eq i64 %.90.i.i3.i151.i, -1
  br i1 %.93.i.i4.i152.i, label %B40.i13.i161.i, label %has.exit.i5.i153.i

has.exit.i5.i153.i: ; preds = %B230.i148.i
  %.173.i.i6.i154.i = add i64 %.90.i.i3.i151.i, %row.8.0.i.i
  %.176.i.i7.i155.i = lshr i64 %.173.i.i6.i154.i, 3
  %.202.i.i8.i156.i = getelementptr i8, ptr %arg.octets, i64 %.176.i.i7.i155.i
  %.203.i.i9.i157.i = load i8, ptr %.202.i.i8.i156.i, align 1
  %.209.i.i10.i158.i = zext i8 %.203.i.i9.i157.i to i64
  %.210.i.i11.i159.i = and i64 %.173.i.i6.i154.i, 7
  %205 = shl nuw nsw i64 1, %.210.i.i11.i159.i
  %206 = and i64 %205, %.209.i.i10.i158.i
  %.100.i12.i160.i = icmp eq i64 %206, 0
  br i1 %.100.i12.i160.i, label %is_blank.exit248.i, label %B40.i13.i161.i

B40.i13.i161.i:                                   ; preds = %has.exit.i5.i153.i, %B230.i148.i
  %.111.i.i14.i162.i = getelementptr i8, ptr %.89.i.i2.i150.i, i64 24
  %.112.i.i15.i163.i = load i64, ptr %.111.i.i14.i162.i, align 8
  %.158.i.i16.i164.i = getelementptr i8, ptr %.89.i.i2.i150.i, i64 8
  %.159.i.i17.i165.i = load i64, ptr %.158.i.i16.i164.i, align 8
  switch i64 %.112.i.i15.i163.i, label %B772.endif.i.i55.i205.i [
    i64 3, label %B108.i.i51.i201.i
    i64 5, label %B108.i.i51.i201.i
    i64 7, label %B194.i.i46.i196.i
    i64 2, label %B318.i.i35.i185.i
    i64 4, label %B318.i.i35.i185.i
    i64 6, label %B514.i.i26.i176.i
    i64 0, label %B670.endif.i.i18.i166.i
  ]

B108.i.i51.i201.i:                                ; preds = %B40.i13.i161.i, %B40.i13.i161.i
  %.192.i.i52.i202.i = lshr i64 %.159.i.i17.i165.i, 3
  %207 = getelementptr i64, ptr %arg.longs, i64 %.192.i.i52.i202.i
  %.224.i.i53.i203.i = getelementptr i64, ptr %207, i64 %row.8.0.i.i
  %.225.i.i54.i204.i = load i64, ptr %.224.i.i53.i203.i, align 8
  br label %is_blank.exit248.i

B194.i.i46.i196.i:                                ; preds = %B40.i13.i161.i
  %.249.i.i47.i197.i = lshr i64 %.159.i.i17.i165.i, 3
  %208 = getelementptr i64, ptr %arg.longs, i64 %.249.i.i47.i197.i
  %.282.idx.i.i48.i198.i = shl i64 %row.8.0.i.i, 4
  %.282.i.i49.i199.i = getelementptr i8, ptr %208, i64 %.282.idx.i.i48.i198.i
  %.283.i.i50.i200.i = load i64, ptr %.282.i.i49.i199.i, align 8
  br label %is_blank.exit248.i

B318.i.i35.i185.i:                                ; preds = %B40.i13.i161.i, %B40.i13.i161.i
  %.308.i.i36.i186.i = lshr i64 %.159.i.i17.i165.i, 2
  %209 = getelementptr i32, ptr %arg.ints, i64 %.308.i.i36.i186.i
  %.340.i.i37.i187.i = getelementptr i32, ptr %209, i64 %row.8.0.i.i
  %.341.i.i38.i188.i = load i32, ptr %.340.i.i37.i187.i, align 4
  %.347.i.i39.i189.i = zext i32 %.341.i.i38.i188.i to i64
  %.348.i.i40.i190.i = shl nuw i64 %.347.i.i39.i189.i, 32
  %.353.i.i41.i191.i = icmp eq i64 %.112.i.i15.i163.i, 4
  %.10.i.i.i42.i192.i = icmp slt i64 %.348.i.i40.i190.i, 0
  %"$phi82.1.2.0.i.i.i43.i193.i" = select i1 %.10.i.i.i42.i192.i, i64 -4294967296, i64 0
  %.31.i.i.i44.i194.i = or disjoint i64 %"$phi82.1.2.0.i.i.i43.i193.i", %.347.i.i39.i189.i
  %"$phi490.0.2.0.i.i45.i195.i" = select i1 %.353.i.i41.i191.i, i64 %.348.i.i40.i190.i, i64 %.31.i.i.i44.i194.i
  br label %is_blank.exit248.i

B514.i.i26.i176.i:                                ; preds = %B40.i13.i161.i
  %.414.i.i27.i177.i = add i64 %.159.i.i17.i165.i, %row.8.0.i.i
  %.415.i.i28.i178.i = lshr i64 %.414.i.i27.i177.i, 3
  %.441.i.i29.i179.i = getelementptr i8, ptr %arg.octets, i64 %.415.i.i28.i178.i
  %.442.i.i30.i180.i = load i8, ptr %.441.i.i29.i179.i, align 1
  %.448.i.i31.i181.i = zext i8 %.442.i.i30.i180.i to i64
  %.456.i.i32.i182.i = and i64 %.414.i.i27.i177.i, 7
  %.457.i.i33.i183.i = lshr i64 %.448.i.i31.i181.i, %.456.i.i32.i182.i
  %.458.i.i34.i184.i = and i64 %.457.i.i33.i183.i, 1
  br label %is_blank.exit248.i

B670.endif.i.i18.i166.i:                          ; preds = %B40.i13.i161.i
  %210 = getelementptr i8, ptr %arg.octets, i64 %.159.i.i17.i165.i
  %.499.i.i19.i167.i = getelementptr i8, ptr %210, i64 %row.8.0.i.i
  %.500.i.i20.i168.i = load i8, ptr %.499.i.i19.i167.i, align 1
  %.506.i.i21.i169.i = zext i8 %.500.i.i20.i168.i to i64
  %.10.i1.not.i.i22.i170.i = icmp sgt i8 %.500.i.i20.i168.i, -1
  %"$phi82.1.2.0.i2.i.i23.i171.i" = select i1 %.10.i1.not.i.i22.i170.i, i64 0, i64 -256
  %.31.i3.i.i24.i172.i = or disjoint i64 %"$phi82.1.2.0.i2.i.i23.i171.i", %.506.i.i21.i169.i
  br label %is_blank.exit248.i

B772.endif.i.i55.i205.i:                          ; preds = %B40.i13.i161.i
  %.536.i.i56.i206.i = shl i64 %row.8.0.i.i, 1
  %211 = getelementptr i8, ptr %arg.octets, i64 %.159.i.i17.i165.i
  %.564.i.i57.i207.i = getelementptr i8, ptr %211, i64 %.536.i.i56.i206.i
  %.565.i.i58.i208.i = load i16, ptr %.564.i.i57.i207.i, align 1
  %212 = zext i16 %.565.i.i58.i208.i to i64
  %.10.i4.not.i.i59.i209.i = icmp sgt i16 %.565.i.i58.i208.i, -1
  %"$phi82.1.2.0.i5.i.i60.i210.i" = select i1 %.10.i4.not.i.i59.i209.i, i64 0, i64 -65536
  %.31.i6.i.i61.i211.i = or disjoint i64 %"$phi82.1.2.0.i5.i.i60.i210.i", %212
  br label %is_blank.exit248.i

is_blank.exit248.i: ; preds = %B772.endif.i.i55.i205.i, %B670.endif.i.i18.i166.i, %B514.i.i26.i176.i, %B318.i.i35.i185.i, %B194.i.i46.i196.i, %B108.i.i51.i201.i, %has.exit.i5.i153.i
  %"$phi92.0.2.0.i25.i174.i" = phi i64 [ -1, %has.exit.i5.i153.i ], [ %.31.i6.i.i61.i211.i, %B772.endif.i.i55.i205.i ], [ %.31.i3.i.i24.i172.i, %B670.endif.i.i18.i166.i ], [ %.458.i.i34.i184.i, %B514.i.i26.i176.i ], [ %"$phi490.0.2.0.i.i45.i195.i", %B318.i.i35.i185.i ], [ %.283.i.i50.i200.i, %B194.i.i46.i196.i ], [ %.225.i.i54.i204.i, %B108.i.i51.i201.i ]
  %.386.i175.not.i = icmp eq i64 %"$phi92.0.2.0.i25.i174.i", %"$phi92.0.2.0.i.i145.i"
  br i1 %.386.i175.not.i, label %B1260.i.i, label %number_of.exit.i

B1260.i.i:                                        ; preds = %is_blank.exit248.i
  %.1492.i.i = add i64 %row.8.0.i.i, 1
  %exitcond840.not.i.i = icmp eq i64 %.939.i, %.1492.i.i
  br i1 %exitcond840.not.i.i, label %B1292.i.i, label %B1020.i.i

B1260.thread.i.i:                                 ; preds = %is_nan.exit.i.i, %B38.i.i.i, %B1096.i.i
  %.25.i.i.i = icmp slt i64 %.31.i6.sink.i.i.i, 0
  %or.cond.i.i16.i = select i1 %195, i1 %.25.i.i.i, i1 false
  %"$phi98.1.2.0.i.i.i" = select i1 %or.cond.i.i16.i, i64 -1, i64 -9223372036854775808
  %213 = xor i64 %"$phi98.1.2.0.i.i.i", %spec.select.i9.i
  %.1312.i.i = xor i64 %213, %.31.i6.sink.i.i.i
  %.13.i33.i.i = tail call i64 @llvm.umin.i64(i64 %.1312.i.i, i64 %least.11.0.ph.i.i)
  %.14923.i.i = add i64 %row.8.0.i.i, 1
  %exitcond840.not4.i.i = icmp eq i64 %.939.i, %.14923.i.i
  br i1 %exitcond840.not4.i.i, label %B1314.i.i, label %B1020.outer.i.i

B1292.i.i:                                        ; preds = %B1260.i.i
  br i1 %some.4.0.ph.i.i, label %B1314.i.i, label %number_of.exit.i

B1314.i.i:                                        ; preds = %B1260.thread.i.i, %B1292.i.i
  %least.12.169.i.i = phi i64 [ %least.11.0.ph.i.i, %B1292.i.i ], [ %.13.i33.i.i, %B1260.thread.i.i ]
  %.1567.i.i = xor i64 %least.12.169.i.i, %spec.select.i9.i
  %214 = add i64 %.238.i.i, -6
  %or.cond.i17.i = icmp ult i64 %214, -2
  br i1 %or.cond.i17.i, label %B1418.thread.i.i, label %B1370.i.i

B1370.i.i:                                        ; preds = %B1314.i.i
  %.1586.inv.i.i = icmp sgt i64 %.1567.i.i, -1
  %spec.select767.i.i = select i1 %.1586.inv.i.i, i64 -1, i64 -9223372036854775808
  %.1601.i.i = xor i64 %spec.select767.i.i, %.1567.i.i
  %.1615.i.i = lshr i64 %.1601.i.i, 32
  %spec.select768.i.i = select i1 %.353.i.i.i, i64 %.1615.i.i, i64 %.1601.i.i
  br label %number_of.exit.i

B1418.thread.i.i:                                 ; preds = %B1314.i.i
  %.1601755.i.i = xor i64 %.1567.i.i, -9223372036854775808
  br label %number_of.exit.i

B328.endif.i.i:                                   ; preds = %B328.endif.i.i.preheader, %B328.endif.i.i
  %row.5.0.i.i = phi i64 [ %.542.i.i, %B328.endif.i.i ], [ %row.5.0.i.i.ph, %B328.endif.i.i.preheader ]
  %least.5.0.i.i = phi i64 [ %.13.i.i54.i, %B328.endif.i.i ], [ %least.5.0.i.i.ph, %B328.endif.i.i.preheader ]
  %215 = shl i64 %row.5.0.i.i, 3
  %scevgep.i53.i = getelementptr i8, ptr %149, i64 %215
  %.507.i.i = load i64, ptr %scevgep.i53.i, align 8
  %.509.i.i = xor i64 %.507.i.i, %.463.i.i
  %.13.i.i54.i = tail call i64 @llvm.umin.i64(i64 %.509.i.i, i64 %least.5.0.i.i)
  %.542.i.i = add i64 %row.5.0.i.i, 1
  %exitcond839.not.i.i = icmp eq i64 %.939.i, %.542.i.i
  br i1 %exitcond839.not.i.i, label %B416.i48.i, label %B328.endif.i.i

B578.endif.i.i:                                   ; preds = %B578.endif.i.i, %B578.preheader.new.i.i
  %lsr.iv66.i.i = phi i64 [ %lsr.iv.next67.i.i, %B578.endif.i.i ], [ %.neg.i41.i, %B578.preheader.new.i.i ]
  %lsr.iv115.i.i = phi ptr [ %scevgep116.i.i, %B578.endif.i.i ], [ %scevgep114.i.i, %B578.preheader.new.i.i ]
  %least.7.0.i42.i = phi i64 [ %.13.i31.3.i.i, %B578.endif.i.i ], [ -1, %B578.preheader.new.i.i ]
  %scevgep119.i.i = getelementptr i8, ptr %lsr.iv115.i.i, i64 -48
  %.777.i.i = load i64, ptr %scevgep119.i.i, align 8
  %.779.i.i = xor i64 %.777.i.i, %.732.i.i
  %.13.i31.i.i = tail call i64 @llvm.umin.i64(i64 %.779.i.i, i64 %least.7.0.i42.i)
  %scevgep118.i.i = getelementptr i8, ptr %lsr.iv115.i.i, i64 -32
  %.777.1.i.i = load i64, ptr %scevgep118.i.i, align 8
  %.779.1.i.i = xor i64 %.777.1.i.i, %.732.i.i
  %.13.i31.1.i.i = tail call i64 @llvm.umin.i64(i64 %.779.1.i.i, i64 %.13.i31.i.i)
  %scevgep117.i.i = getelementptr i8, ptr %lsr.iv115.i.i, i64 -16
  %.777.2.i.i = load i64, ptr %scevgep117.i.i, align 8
  %.779.2.i.i = xor i64 %.777.2.i.i, %.732.i.i
  %.13.i31.2.i.i = tail call i64 @llvm.umin.i64(i64 %.779.2.i.i, i64 %.13.i31.1.i.i)
  %.777.3.i.i = load i64, ptr %lsr.iv115.i.i, align 8
  %.779.3.i.i = xor i64 %.777.3.i.i, %.732.i.i
  %.13.i31.3.i.i = tail call i64 @llvm.umin.i64(i64 %.779.3.i.i, i64 %.13.i31.2.i.i)
  %scevgep116.i.i = getelementptr i8, ptr %lsr.iv115.i.i, i64 64
  %lsr.iv.next67.i.i = add i64 %lsr.iv66.i.i, -4
  %niter.ncmp.3.i.i = icmp eq i64 %lsr.iv.next67.i.i, 0
  br i1 %niter.ncmp.3.i.i, label %B682.loopexit.unr-lcssa.i.i, label %B578.endif.i.i

B844.endif.i.i:                                   ; preds = %B844.endif.i.i.preheader, %B844.endif.i.i
  %row.7.0.i36.i = phi i64 [ %.1079.i.i, %B844.endif.i.i ], [ %row.7.0.i36.i.ph, %B844.endif.i.i.preheader ]
  %least.9.0.i37.i = phi i64 [ %.13.i32.i.i, %B844.endif.i.i ], [ %least.9.0.i37.i.ph, %B844.endif.i.i.preheader ]
  %216 = shl i64 %row.7.0.i36.i, 2
  %scevgep122.i38.i = getelementptr i8, ptr %173, i64 %216
  %.1044.i.i = load i32, ptr %scevgep122.i38.i, align 4
  %.1045.i.i = zext i32 %.1044.i.i to i64
  %.1046.i.i = shl nuw i64 %.1045.i.i, 32
  %.1048.i.i = xor i64 %.1046.i.i, %.1000.i.i
  %.13.i32.i.i = tail call i64 @llvm.umin.i64(i64 %.1048.i.i, i64 %least.9.0.i37.i)
  %.1079.i.i = add i64 %row.7.0.i36.i, 1
  %exitcond.not.i39.i = icmp eq i64 %.939.i, %.1079.i.i
  br i1 %exitcond.not.i39.i, label %B974.i.i, label %B844.endif.i.i

has.exit.i10.i: ; preds = %raw.exit.i.i
  %217 = add i64 %row.8.0.i.i, %.360.i.i
  %.176.i.i11.i = lshr i64 %217, 3
  %.202.i.i12.i = getelementptr i8, ptr %arg.octets, i64 %.176.i.i11.i
  %.203.i.i13.i = load i8, ptr %.202.i.i12.i, align 1
  %.209.i.i14.i = zext i8 %.203.i.i13.i to i64
  %.210.i.i15.i = and i64 %217, 7
  %218 = shl nuw nsw i64 1, %.210.i.i15.i
  %219 = and i64 %218, %.209.i.i14.i
  %.1226.i.i = icmp eq i64 %219, 0
  br i1 %.1226.i.i, label %B1200.i.i, label %B1096.i.i

number_of.exit.i: ; preds = %is_blank.exit248.i, %count_of.exit.i144.i, %has.exit.i.i124.i, %B1200.i.i, %B1418.thread.i.i, %B1370.i.i, %B1292.i.i, %B1004.i.i, %B974.i.i, %B682.i.i, %B416.i48.i
  %.946.sroa.0.0.i = phi i64 [ 0, %B1004.i.i ], [ %.1601755.i.i, %B1418.thread.i.i ], [ %.1109.i.i, %B974.i.i ], [ %.567.i49.i, %B416.i48.i ], [ %.835.i.i, %B682.i.i ], [ 0, %B1292.i.i ], [ %spec.select768.i.i, %B1370.i.i ], [ 0, %B1200.i.i ], [ 0, %has.exit.i.i124.i ], [ 0, %count_of.exit.i144.i ], [ 0, %is_blank.exit248.i ]
  %.979.not.i = phi i8 [ 1, %B1004.i.i ], [ 0, %B1418.thread.i.i ], [ 0, %B974.i.i ], [ 0, %B416.i48.i ], [ 0, %B682.i.i ], [ 1, %B1292.i.i ], [ 0, %B1370.i.i ], [ 1, %B1200.i.i ], [ 1, %has.exit.i.i124.i ], [ 1, %count_of.exit.i144.i ], [ 1, %is_blank.exit248.i ]
  %scevgep50.i = getelementptr i8, ptr %lsr.iv48.i, i64 %zone.5.1.i
  store i8 %.979.not.i, ptr %scevgep50.i, align 1
  switch i64 %.711.i, label %B1410.i [
    i64 7, label %B968.i
    i64 5, label %B1162.i
    i64 3, label %B1162.i
    i64 2, label %B1224.i
    i64 4, label %B1224.i
    i64 1, label %B1280.i
  ]

B968.i:                                           ; preds = %number_of.exit.i
  %scevgep45.i = getelementptr i8, ptr %lsr.iv.i, i64 -8
  store i64 %.946.sroa.0.0.i, ptr %scevgep45.i, align 8
  %found.2.3696.lobit.i = ashr i64 %.946.sroa.0.0.i, 63
  store i64 %found.2.3696.lobit.i, ptr %lsr.iv.i, align 8
  br label %B1442.i

B1162.i:                                          ; preds = %number_of.exit.i, %number_of.exit.i
  %scevgep34.i = getelementptr i8, ptr %83, i64 %sunkaddr73.i
  store i64 %.946.sroa.0.0.i, ptr %scevgep34.i, align 8
  br label %B1442.i

B1224.i:                                          ; preds = %number_of.exit.i, %number_of.exit.i
  %220 = shl i64 %zone.5.1.i, 2
  %scevgep47.i = getelementptr i8, ptr %81, i64 %220
  %.1232.i = trunc i64 %.946.sroa.0.0.i to i32
  store i32 %.1232.i, ptr %scevgep47.i, align 4
  br label %B1442.i

B1280.i:                                          ; preds = %number_of.exit.i
  %.1241.i = shl i64 %zone.5.1.i, 1
  %gep.i = getelementptr i8, ptr %82, i64 %.1241.i
  %221 = trunc i64 %.946.sroa.0.0.i to i16
  store i16 %221, ptr %gep.i, align 1
  br label %B1442.i

B1410.i:                                          ; preds = %number_of.exit.i
  %.1343.i = getelementptr i8, ptr %82, i64 %zone.5.1.i
  %.1344.i = trunc i64 %.946.sroa.0.0.i to i8
  store i8 %.1344.i, ptr %.1343.i, align 1
  br label %B1442.i

B1442.i:                                          ; preds = %B1410.i, %B1280.i, %B1224.i, %B1162.i, %B968.i
  %.1348.i = add nuw i64 %zone.5.1.i, 1
  %scevgep44.i = getelementptr i8, ptr %lsr.iv.i, i64 16
  %exitcond713.not.i = icmp eq i64 %.192.i, %.1348.i
  br i1 %exitcond713.not.i, label %B1476.loopexit.i, label %B686.i

B1476.loopexit.i:                                 ; preds = %B1442.i, %place_of.exit.i
  %.1366.i = add nuw i64 %number.1.2.0.i, 1
  %scevgep49.i = getelementptr i8, ptr %lsr.iv48.i, i64 %arg.unknown_1
  %exitcond715.not.i = icmp eq i64 %.1366.i, %arg.bounds_0
  br i1 %exitcond715.not.i, label %zones_of.exit, label %B572.i

zones_of.exit: ; preds = %B1476.loopexit.i, %B154.preheader.i, %B492.i
  store i64 0, ptr %retptr, align 8
  ret i32 0
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <2 x i64> @llvm.umin.v2i64(<2 x i64>, <2 x i64>) #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.umin.i64(i64, i64) #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.usub.sat.i64(i64, i64) #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.bswap.i64(i64) #1

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #1 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

