; Made by scripts/kernels.py with numba 0.68.1 on Python 3.11; not to be edited.
; kernel.py: 32b5d7aecc0b39fd0b20b1a835cb9eb4bddec517816d5cad2276900fb57503f5

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local noundef range(i32 -1, -2) i32 @lakemuster_join(ptr noalias writeonly captures(none) %retptr, ptr noalias readnone captures(none) %excinfo, ptr %arg.texts, i64 %arg.texts_0, ptr readonly captures(none) %arg.words, i64 %arg.words_0, ptr readonly captures(none) %arg.flags, i64 %arg.flags_0, ptr readonly captures(none) %arg.program, i64 %arg.program_0, i64 %arg.rows, ptr %arg.octets, i64 %arg.octets_0, ptr writeonly captures(none) initializes((0, 4)) %arg.ends, i64 %arg.ends_0) local_unnamed_addr #0 {
B0.endif.endif.endif.endif.endif.endif:
  %.265.i.i = alloca i64, align 8
  %.790.i = alloca i64, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %.790.i)
  store i32 0, ptr %arg.ends, align 4
  %.132.not.i = icmp eq i64 %arg.rows, 0
  br i1 %.132.not.i, label %join.exit, label %B56.preheader.i

B56.preheader.i:                                  ; preds = %B0.endif.endif.endif.endif.endif.endif
  %.165.not.i = icmp eq i64 %arg.program_0, 0
  br i1 %.165.not.i, label %B56.us.preheader.i, label %B56.preheader9.i

B56.preheader9.i:                                 ; preds = %B56.preheader.i
  %0 = ptrtoint ptr %arg.octets to i64
  %1 = ptrtoint ptr %arg.texts to i64
  br label %B56.i

B56.us.preheader.i:                               ; preds = %B56.preheader.i
  %scevgep.i = getelementptr i8, ptr %arg.ends, i64 4
  %2 = shl nuw i64 %arg.rows, 2
  tail call void @llvm.memset.p0.i64(ptr align 4 %scevgep.i, i8 0, i64 %2, i1 false)
  br label %join.exit

B56.i:                                            ; preds = %B1482.loopexit.i, %B56.preheader9.i
  %at.11.0.i = phi i64 [ %at.13.3103.i, %B1482.loopexit.i ], [ 0, %B56.preheader9.i ]
  %row.2.0.i = phi i64 [ %.1317.i, %B1482.loopexit.i ], [ 0, %B56.preheader9.i ]
  %invariant.gep.i = getelementptr i64, ptr %arg.words, i64 %row.2.0.i
  br label %B132.i

B132.i:                                           ; preds = %B1400.i, %B56.i
  %at.10.1.i = phi i64 [ %at.13.3103.i, %B1400.i ], [ %at.11.0.i, %B56.i ]
  %operation.2.1.i = phi i64 [ %.1284.i, %B1400.i ], [ 0, %B56.i ]
  %.217.idx.i = shl i64 %operation.2.1.i, 5
  %.217.i = getelementptr i8, ptr %arg.program, i64 %.217.idx.i
  %.218.i = load i64, ptr %.217.i, align 8
  %.266.i = getelementptr i8, ptr %.217.i, i64 8
  %.267.i = load i64, ptr %.266.i, align 8
  %.321.i = getelementptr i8, ptr %.217.i, i64 16
  %.322.i = load i64, ptr %.321.i, align 8
  %.370.i = getelementptr i8, ptr %.217.i, i64 24
  %.371.i = load i64, ptr %.370.i, align 8
  %.384.not.i = icmp eq i64 %.322.i, 0
  br i1 %.384.not.i, label %B512.i, label %B278.i

B278.i:                                           ; preds = %B132.i
  %3 = tail call { i64, i1 } @llvm.usub.with.overflow.i64(i64 %arg.flags_0, i64 %.322.i)
  %math.i = extractvalue { i64, i1 } %3, 0
  %ov.i = extractvalue { i64, i1 } %3, 1
  %.414.i = icmp ugt i64 %row.2.0.i, %math.i
  %or.cond.i = or i1 %ov.i, %.414.i
  br i1 %or.cond.i, label %join.exit, label %B472.i

B472.i:                                           ; preds = %B278.i
  %4 = getelementptr i8, ptr %arg.flags, i64 %.322.i
  %5 = getelementptr i8, ptr %4, i64 -1
  %.497.i = getelementptr i8, ptr %5, i64 %row.2.0.i
  %.498.i = load i8, ptr %.497.i, align 1
  %.500.i = icmp eq i8 %.498.i, 0
  br i1 %.500.i, label %B476.i, label %B512.i

B476.i:                                           ; preds = %B472.i
  %.32.i.i = sub i64 %arg.octets_0, %at.10.1.i
  %.33.i.i = icmp ult i64 %.32.i.i, 4
  br i1 %.33.i.i, label %join.exit, label %B98.i.i

B98.i.i:                                          ; preds = %B476.i
  %.94.i.i = getelementptr i8, ptr %arg.octets, i64 %at.10.1.i
  store i8 110, ptr %.94.i.i, align 1
  %.123.i.i = getelementptr i8, ptr %.94.i.i, i64 1
  store i8 117, ptr %.123.i.i, align 1
  %.152.i.i = getelementptr i8, ptr %.94.i.i, i64 2
  store i8 108, ptr %.152.i.i, align 1
  %.181.i.i = getelementptr i8, ptr %.94.i.i, i64 3
  store i8 108, ptr %.181.i.i, align 1
  %.189.i.i = add i64 %at.10.1.i, 4
  br label %B1364.i

B512.i:                                           ; preds = %B472.i, %B132.i
  %.554.i = icmp eq i64 %.218.i, 0
  br i1 %.554.i, label %B534.i, label %B576.endif.endif.i

B534.i:                                           ; preds = %B512.i
  %.43.i.i = icmp ult i64 %.371.i, %.267.i
  %.56.i.i = icmp ugt i64 %.371.i, %arg.texts_0
  %or.cond.i.i = select i1 %.43.i.i, i1 true, i1 %.56.i.i
  br i1 %or.cond.i.i, label %join.exit, label %B80.i.i

B80.i.i:                                          ; preds = %B534.i
  %.60.i.i = sub nuw i64 %.371.i, %.267.i
  %.72.i.i = sub i64 %arg.octets_0, %at.10.1.i
  %.73.i.i = icmp ugt i64 %.60.i.i, %.72.i.i
  br i1 %.73.i.i, label %join.exit, label %B170.i.i

common.ret.loopexit.i.i:                          ; preds = %B182.i.i
  %6 = add i64 %18, %at.2.0.unr.i.i
  br label %B1364.i

B170.i.i:                                         ; preds = %B80.i.i
  %.109.i.i = icmp ugt i64 %.371.i, %.267.i
  br i1 %.109.i.i, label %B182.preheader.i.i, label %B1400.i

B182.preheader.i.i:                               ; preds = %B170.i.i
  %min.iters.check.i.i = icmp ult i64 %.60.i.i, 32
  br i1 %min.iters.check.i.i, label %B182.preheader7.i.i, label %vector.memcheck.i.i

vector.memcheck.i.i:                              ; preds = %B182.preheader.i.i
  %7 = add i64 %at.10.1.i, %0
  %8 = add i64 %.267.i, %1
  %9 = sub i64 %7, %8
  %diff.check.i.i = icmp ult i64 %9, 32
  br i1 %diff.check.i.i, label %B182.preheader7.i.i, label %vector.ph.i.i

vector.ph.i.i:                                    ; preds = %vector.memcheck.i.i
  %n.vec.i.i = and i64 %.60.i.i, -32
  %10 = getelementptr i8, ptr %arg.octets, i64 %at.10.1.i
  %scevgep26.i.i = getelementptr i8, ptr %10, i64 16
  %11 = getelementptr i8, ptr %arg.texts, i64 %.267.i
  %scevgep30.i.i = getelementptr i8, ptr %11, i64 16
  br label %vector.body.i.i

vector.body.i.i:                                  ; preds = %vector.body.i.i, %vector.ph.i.i
  %index.i.i = phi i64 [ 0, %vector.ph.i.i ], [ %index.next.i.i, %vector.body.i.i ]
  %scevgep32.i.i = getelementptr i8, ptr %scevgep30.i.i, i64 %index.i.i
  %scevgep33.i.i = getelementptr i8, ptr %scevgep32.i.i, i64 -16
  %wide.load.i.i = load <16 x i8>, ptr %scevgep33.i.i, align 1
  %wide.load5.i.i = load <16 x i8>, ptr %scevgep32.i.i, align 1
  %scevgep28.i.i = getelementptr i8, ptr %scevgep26.i.i, i64 %index.i.i
  %scevgep29.i.i = getelementptr i8, ptr %scevgep28.i.i, i64 -16
  store <16 x i8> %wide.load.i.i, ptr %scevgep29.i.i, align 1
  store <16 x i8> %wide.load5.i.i, ptr %scevgep28.i.i, align 1
  %index.next.i.i = add nuw i64 %index.i.i, 32
  %12 = icmp eq i64 %n.vec.i.i, %index.next.i.i
  br i1 %12, label %middle.block.i.i, label %vector.body.i.i

middle.block.i.i:                                 ; preds = %vector.body.i.i
  %13 = add i64 %n.vec.i.i, %at.10.1.i
  %cmp.n.i.i = icmp eq i64 %.60.i.i, %n.vec.i.i
  br i1 %cmp.n.i.i, label %B1364.i, label %middle.block.B182.preheader7_crit_edge.i.i

middle.block.B182.preheader7_crit_edge.i.i:       ; preds = %middle.block.i.i
  %14 = add i64 %n.vec.i.i, %.267.i
  %.pre.i.i = sub i64 %.371.i, %14
  br label %B182.preheader7.i.i

B182.preheader7.i.i:                              ; preds = %middle.block.B182.preheader7_crit_edge.i.i, %vector.memcheck.i.i, %B182.preheader.i.i
  %.pre-phi.i.i = phi i64 [ %.pre.i.i, %middle.block.B182.preheader7_crit_edge.i.i ], [ %.60.i.i, %vector.memcheck.i.i ], [ %.60.i.i, %B182.preheader.i.i ]
  %begin.2.0.ph.i.i = phi i64 [ %14, %middle.block.B182.preheader7_crit_edge.i.i ], [ %.267.i, %vector.memcheck.i.i ], [ %.267.i, %B182.preheader.i.i ]
  %at.2.0.ph.i.i = phi i64 [ %13, %middle.block.B182.preheader7_crit_edge.i.i ], [ %at.10.1.i, %vector.memcheck.i.i ], [ %at.10.1.i, %B182.preheader.i.i ]
  %xtraiter.i.i = and i64 %.pre-phi.i.i, 3
  %lcmp.mod.not.i.i = icmp eq i64 %xtraiter.i.i, 0
  br i1 %lcmp.mod.not.i.i, label %B182.prol.loopexit.i.i, label %B182.prol.i.i

B182.prol.i.i:                                    ; preds = %B182.preheader7.i.i, %B182.prol.i.i
  %lsr.iv24.i.i = phi i64 [ %lsr.iv.next25.i.i, %B182.prol.i.i ], [ %xtraiter.i.i, %B182.preheader7.i.i ]
  %begin.2.0.prol.i.i = phi i64 [ %.170.prol.i.i, %B182.prol.i.i ], [ %begin.2.0.ph.i.i, %B182.preheader7.i.i ]
  %at.2.0.prol.i.i = phi i64 [ %.174.prol.i.i, %B182.prol.i.i ], [ %at.2.0.ph.i.i, %B182.preheader7.i.i ]
  %.139.prol.i.i = getelementptr i8, ptr %arg.texts, i64 %begin.2.0.prol.i.i
  %.140.prol.i.i = load i8, ptr %.139.prol.i.i, align 1
  %.167.prol.i.i = getelementptr i8, ptr %arg.octets, i64 %at.2.0.prol.i.i
  store i8 %.140.prol.i.i, ptr %.167.prol.i.i, align 1
  %.170.prol.i.i = add i64 %begin.2.0.prol.i.i, 1
  %.174.prol.i.i = add i64 %at.2.0.prol.i.i, 1
  %lsr.iv.next25.i.i = add nsw i64 %lsr.iv24.i.i, -1
  %prol.iter.cmp.not.i.i = icmp eq i64 %lsr.iv.next25.i.i, 0
  br i1 %prol.iter.cmp.not.i.i, label %B182.prol.loopexit.i.i, label %B182.prol.i.i

B182.prol.loopexit.i.i:                           ; preds = %B182.prol.i.i, %B182.preheader7.i.i
  %.174.lcssa.unr.i.i = phi i64 [ poison, %B182.preheader7.i.i ], [ %.174.prol.i.i, %B182.prol.i.i ]
  %begin.2.0.unr.i.i = phi i64 [ %begin.2.0.ph.i.i, %B182.preheader7.i.i ], [ %.170.prol.i.i, %B182.prol.i.i ]
  %at.2.0.unr.i.i = phi i64 [ %at.2.0.ph.i.i, %B182.preheader7.i.i ], [ %.174.prol.i.i, %B182.prol.i.i ]
  %15 = sub i64 %begin.2.0.ph.i.i, %.371.i
  %16 = icmp ugt i64 %15, -4
  br i1 %16, label %B1364.i, label %B182.preheader8.i.i

B182.preheader8.i.i:                              ; preds = %B182.prol.loopexit.i.i
  %17 = getelementptr i8, ptr %arg.texts, i64 %begin.2.0.unr.i.i
  %scevgep.i.i = getelementptr i8, ptr %17, i64 3
  %18 = sub i64 %.371.i, %begin.2.0.unr.i.i
  %19 = getelementptr i8, ptr %arg.octets, i64 %at.2.0.unr.i.i
  %scevgep16.i.i = getelementptr i8, ptr %19, i64 3
  br label %B182.i.i

B182.i.i:                                         ; preds = %B182.i.i, %B182.preheader8.i.i
  %lsr.iv.i.i = phi i64 [ 0, %B182.preheader8.i.i ], [ %lsr.iv.next.i.i, %B182.i.i ]
  %scevgep14.i.i = getelementptr i8, ptr %scevgep.i.i, i64 %lsr.iv.i.i
  %scevgep15.i.i = getelementptr i8, ptr %scevgep14.i.i, i64 -3
  %.140.i.i = load i8, ptr %scevgep15.i.i, align 1
  %scevgep22.i.i = getelementptr i8, ptr %scevgep16.i.i, i64 %lsr.iv.i.i
  %scevgep23.i.i = getelementptr i8, ptr %scevgep22.i.i, i64 -3
  store i8 %.140.i.i, ptr %scevgep23.i.i, align 1
  %scevgep22.i = getelementptr i8, ptr %scevgep14.i.i, i64 -2
  %.140.1.i.i = load i8, ptr %scevgep22.i, align 1
  %scevgep21.i.i = getelementptr i8, ptr %scevgep22.i.i, i64 -2
  store i8 %.140.1.i.i, ptr %scevgep21.i.i, align 1
  %scevgep20.i = getelementptr i8, ptr %scevgep14.i.i, i64 -1
  %.140.2.i.i = load i8, ptr %scevgep20.i, align 1
  %scevgep18.i = getelementptr i8, ptr %scevgep22.i.i, i64 -1
  store i8 %.140.2.i.i, ptr %scevgep18.i, align 1
  %.140.3.i.i = load i8, ptr %scevgep14.i.i, align 1
  store i8 %.140.3.i.i, ptr %scevgep22.i.i, align 1
  %lsr.iv.next.i.i = add i64 %lsr.iv.i.i, 4
  %exitcond.not.3.i.i = icmp eq i64 %18, %lsr.iv.next.i.i
  br i1 %exitcond.not.3.i.i, label %common.ret.loopexit.i.i, label %B182.i.i

B794.i:                                           ; preds = %B576.endif.endif.i
  %gep.i = getelementptr i64, ptr %invariant.gep.i, i64 %.267.i
  %.774.i = load i64, ptr %gep.i, align 8
  switch i64 %.218.i, label %B1208.i [
    i64 4, label %B838.i
    i64 5, label %B898.i
    i64 6, label %B956.i
    i64 3, label %B1054.i
    i64 2, label %B1150.i
  ]

B838.i:                                           ; preds = %B794.i
  store i64 0, ptr %.790.i, align 8
  call fastcc void @put_integer(ptr nonnull %.790.i, i64 %.774.i, i64 %.371.i, ptr %arg.octets, i64 %arg.octets_0, i64 %at.10.1.i)
  %.806.i = load i64, ptr %.790.i, align 8
  br label %B1364.i

B898.i:                                           ; preds = %B794.i
  %.22.i.i = add i64 %.774.i, 865565
  %.27.i.i = icmp ugt i64 %.22.i.i, 3798461
  %.40.i.i = sub i64 %arg.octets_0, %at.10.1.i
  %.41.i.i = icmp ult i64 %.40.i.i, 12
  %or.cond.i14.i = select i1 %.27.i.i, i1 true, i1 %.41.i.i
  br i1 %or.cond.i14.i, label %join.exit, label %B552.endif.endif.endif.endif.endif.endif.i.i

B552.endif.endif.endif.endif.endif.endif.i.i:     ; preds = %B898.i
  %.22.tr.i.i = trunc nuw nsw i64 %.22.i.i to i32
  %20 = shl nuw nsw i32 %.22.tr.i.i, 2
  %.66.lhs.trunc.i.i = or disjoint i32 %20, 3
  %.66133.i.i = udiv i32 %.66.lhs.trunc.i.i, 146097
  %.80134.i.i = urem i32 %.66.lhs.trunc.i.i, 146097
  %21 = or i32 %.80134.i.i, 3
  %.93135.i.i = udiv i32 %21, 1461
  %.107136.i.i = urem i32 %21, 1461
  %22 = lshr i32 %.107136.i.i, 2
  %narrow.i.i = mul nuw nsw i32 %22, 2141
  %narrow140.i.i = add nuw nsw i32 %narrow.i.i, 197913
  %23 = lshr i32 %narrow140.i.i, 16
  %.127.i.i = zext nneg i32 %23 to i64
  %.136.lhs.trunc.i.i = trunc i32 %narrow140.i.i to i16
  %.136138.i.i = udiv i16 %.136.lhs.trunc.i.i, 2141
  %narrow142.i.i = mul nuw nsw i32 %.66133.i.i, 100
  %narrow143.i.i = add nuw nsw i32 %.93135.i.i, %narrow142.i.i
  %.154.i.i = zext nneg i32 %narrow143.i.i to i64
  %.163.i.i = icmp samesign ugt i32 %.107136.i.i, 1223
  %.166.i.i = add nsw i64 %.127.i.i, -12
  %month.2.0.i.i = select i1 %.163.i.i, i64 %.166.i.i, i64 %.127.i.i
  %year.4.0.i.i = select i1 %.163.i.i, i64 -399, i64 -400
  %.183.i.i = add nsw i64 %year.4.0.i.i, %.154.i.i
  %.212.i.i = getelementptr i8, ptr %arg.octets, i64 %at.10.1.i
  store i8 34, ptr %.212.i.i, align 1
  %.222.i.i = udiv i64 %.183.i.i, 100
  %.25.i.i.i = udiv i64 %.183.i.i, 1000
  %.59.i.i.i = getelementptr i8, ptr %.212.i.i, i64 1
  %24 = trunc i64 %.25.i.i.i to i8
  %.60.i.i.i = add i8 %24, 48
  store i8 %.60.i.i.i, ptr %.59.i.i.i, align 1
  %.70.i.i.i = urem i64 %.222.i.i, 10
  %.104.i.i.i = getelementptr i8, ptr %.212.i.i, i64 2
  %25 = trunc nuw nsw i64 %.70.i.i.i to i8
  %.105.i.i.i = or disjoint i8 %25, 48
  store i8 %.105.i.i.i, ptr %.104.i.i.i, align 1
  %.268.i.i = urem i64 %.183.i.i, 100
  %.25.i1.lhs.trunc.i.i = trunc nuw nsw i64 %.268.i.i to i8
  %.25.i119.i.i = udiv i8 %.25.i1.lhs.trunc.i.i, 10
  %.59.i2.i.i = getelementptr i8, ptr %.212.i.i, i64 3
  %.60.i3.i.i = or disjoint i8 %.25.i119.i.i, 48
  store i8 %.60.i3.i.i, ptr %.59.i2.i.i, align 1
  %.70.i420.i.i = urem i8 %.25.i1.lhs.trunc.i.i, 10
  %.104.i5.i.i = getelementptr i8, ptr %.212.i.i, i64 4
  %.105.i6.i.i = or disjoint i8 %.70.i420.i.i, 48
  store i8 %.105.i6.i.i, ptr %.104.i5.i.i, align 1
  %.329.i.i = getelementptr i8, ptr %.212.i.i, i64 5
  store i8 45, ptr %.329.i.i, align 1
  %.25.i7.i.i = udiv i64 %month.2.0.i.i, 10
  %.59.i8.i.i = getelementptr i8, ptr %.212.i.i, i64 6
  %26 = trunc i64 %.25.i7.i.i to i8
  %.60.i9.i.i = add i8 %26, 48
  store i8 %.60.i9.i.i, ptr %.59.i8.i.i, align 1
  %.70.i10.i.i = urem i64 %month.2.0.i.i, 10
  %.104.i11.i.i = getelementptr i8, ptr %.212.i.i, i64 7
  %27 = trunc nuw nsw i64 %.70.i10.i.i to i8
  %.105.i12.i.i = or disjoint i8 %27, 48
  store i8 %.105.i12.i.i, ptr %.104.i11.i.i, align 1
  %.391.i.i = getelementptr i8, ptr %.212.i.i, i64 8
  store i8 45, ptr %.391.i.i, align 1
  %28 = trunc nuw nsw i16 %.136138.i.i to i8
  %.25.i13.lhs.trunc.i.i = add nuw nsw i8 %28, 1
  %.25.i1321.i.i = udiv i8 %.25.i13.lhs.trunc.i.i, 10
  %.59.i14.i.i = getelementptr i8, ptr %.212.i.i, i64 9
  %.60.i15.i.i = or disjoint i8 %.25.i1321.i.i, 48
  store i8 %.60.i15.i.i, ptr %.59.i14.i.i, align 1
  %.70.i1622.i.i = urem i8 %.25.i13.lhs.trunc.i.i, 10
  %.104.i17.i.i = getelementptr i8, ptr %.212.i.i, i64 10
  %.105.i18.i.i = or disjoint i8 %.70.i1622.i.i, 48
  store i8 %.105.i18.i.i, ptr %.104.i17.i.i, align 1
  %.453.i.i = getelementptr i8, ptr %.212.i.i, i64 11
  store i8 34, ptr %.453.i.i, align 1
  %.461.i.i = add i64 %at.10.1.i, 12
  br label %B1364.i

B956.i:                                           ; preds = %B794.i
  %sunkaddr.i = shl i64 %.267.i, 3
  %sunkaddr131.i = getelementptr i8, ptr %invariant.gep.i, i64 %sunkaddr.i
  %sunkaddr132.i = getelementptr i8, ptr %sunkaddr131.i, i64 8
  %.909.i = load i64, ptr %sunkaddr132.i, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %.265.i.i)
  %.46.i.i = icmp ule i64 %.774.i, %.909.i
  %.59.i.i = icmp ule i64 %.909.i, %arg.words_0
  %or.cond.not253.i.i = select i1 %.46.i.i, i1 %.59.i.i, i1 false
  %.72.not.i.i = icmp ult i64 %at.10.1.i, %arg.octets_0
  %or.cond248.i.i = select i1 %or.cond.not253.i.i, i1 %.72.not.i.i, i1 false
  br i1 %or.cond248.i.i, label %B158.i.i, label %put_integers.exit.i

B158.i.i:                                         ; preds = %B956.i
  %.124.i.i = getelementptr i8, ptr %arg.octets, i64 %at.10.1.i
  store i8 91, ptr %.124.i.i, align 1
  %.127.i2.i = add nuw i64 %at.10.1.i, 1
  %.142.i.i = icmp ult i64 %.774.i, %.909.i
  br i1 %.142.i.i, label %B214.i.i, label %B460.i.i

B214.i.i:                                         ; preds = %B158.i.i, %B428.i.i
  %begin.2.0.i.i = phi i64 [ %.332.i.i, %B428.i.i ], [ %.774.i, %B158.i.i ]
  %at.4.0.i.i = phi i64 [ %.281.i.i, %B428.i.i ], [ %.127.i2.i, %B158.i.i ]
  %.157.i.i = icmp ugt i64 %begin.2.0.i.i, %.774.i
  br i1 %.157.i.i, label %B226.i.i, label %B344.i.i

B226.i.i:                                         ; preds = %B214.i.i
  %.172.not.i.i = icmp ult i64 %at.4.0.i.i, %arg.octets_0
  br i1 %.172.not.i.i, label %B304.i.i, label %put_integers.exit.i

B304.i.i:                                         ; preds = %B226.i.i
  %.222.i4.i = getelementptr i8, ptr %arg.octets, i64 %at.4.0.i.i
  store i8 44, ptr %.222.i4.i, align 1
  %.225.i.i = add nuw i64 %at.4.0.i.i, 1
  br label %B344.i.i

B344.i.i:                                         ; preds = %B304.i.i, %B214.i.i
  %at.5.1.i.i = phi i64 [ %.225.i.i, %B304.i.i ], [ %at.4.0.i.i, %B214.i.i ]
  %29 = shl i64 %begin.2.0.i.i, 3
  %scevgep.i3.i = getelementptr i8, ptr %arg.words, i64 %29
  %.261.i.i = load i64, ptr %scevgep.i3.i, align 8
  store i64 0, ptr %.265.i.i, align 8
  call fastcc void @put_integer(ptr nonnull %.265.i.i, i64 %.261.i.i, i64 %.371.i, ptr %arg.octets, i64 %arg.octets_0, i64 %at.5.1.i.i)
  %.281.i.i = load i64, ptr %.265.i.i, align 8
  %.299.i.i = icmp eq i64 %.281.i.i, -1
  br i1 %.299.i.i, label %put_integers.exit.i, label %B428.i.i

B428.i.i:                                         ; preds = %B344.i.i
  %.332.i.i = add i64 %begin.2.0.i.i, 1
  %exitcond.not.i.i = icmp eq i64 %.909.i, %.332.i.i
  br i1 %exitcond.not.i.i, label %B460.i.i, label %B214.i.i

B460.i.i:                                         ; preds = %B428.i.i, %B158.i.i
  %at.6.1.i.i = phi i64 [ %.127.i2.i, %B158.i.i ], [ %.281.i.i, %B428.i.i ]
  %.369.not.i.i = icmp ult i64 %at.6.1.i.i, %arg.octets_0
  br i1 %.369.not.i.i, label %B538.i.i, label %put_integers.exit.i

B538.i.i:                                         ; preds = %B460.i.i
  %.406.i.i = getelementptr i8, ptr %arg.octets, i64 %at.6.1.i.i
  store i8 93, ptr %.406.i.i, align 1
  %.414.i.i = add nuw i64 %at.6.1.i.i, 1
  br label %put_integers.exit.i

put_integers.exit.i: ; preds = %B344.i.i, %B226.i.i, %B538.i.i, %B460.i.i, %B956.i
  %.414.sink.i.i = phi i64 [ %.414.i.i, %B538.i.i ], [ -1, %B956.i ], [ -1, %B460.i.i ], [ -1, %B226.i.i ], [ -1, %B344.i.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.265.i.i)
  br label %B1364.i

B1054.i:                                          ; preds = %B794.i
  %sunkaddr133.i = shl i64 %.267.i, 3
  %sunkaddr134.i = getelementptr i8, ptr %invariant.gep.i, i64 %sunkaddr133.i
  %sunkaddr135.i = getelementptr i8, ptr %sunkaddr134.i, i64 8
  %.992.i = load i64, ptr %sunkaddr135.i, align 8
  %.43.i5.i = icmp uge i64 %.992.i, %.774.i
  %.56.i6.i = icmp ule i64 %.992.i, %arg.texts_0
  %or.cond.not2.i.i = select i1 %.43.i5.i, i1 %.56.i6.i, i1 false
  %.32.not.i.i.i = icmp ult i64 %at.10.1.i, %arg.octets_0
  %or.cond1.i.i = select i1 %or.cond.not2.i.i, i1 %.32.not.i.i.i, i1 false
  br i1 %or.cond1.i.i, label %B94.endif.i.i, label %join.exit

B148.i.i:                                         ; preds = %B94.endif.i.i
  %.35.i.i.i = icmp ugt i64 %.992.i, %.774.i
  %30 = sub nuw i64 %.992.i, %.774.i
  br i1 %.35.i.i.i, label %B56.preheader.i.i.i, label %B80.i.thread.i.i

B56.preheader.i.i.i:                              ; preds = %B148.i.i
  %min.iters.check.i.i.i = icmp ult i64 %30, 4
  br i1 %min.iters.check.i.i.i, label %B56.i.i.i.preheader, label %vector.ph.i.i.i

vector.ph.i.i.i:                                  ; preds = %B56.preheader.i.i.i
  %n.vec.i.i.i = and i64 %30, -4
  %31 = getelementptr i8, ptr %arg.texts, i64 %.774.i
  %scevgep.i.i.i = getelementptr i8, ptr %31, i64 2
  br label %vector.body.i.i.i

vector.body.i.i.i:                                ; preds = %vector.body.i.i.i, %vector.ph.i.i.i
  %index.i.i.i = phi i64 [ 0, %vector.ph.i.i.i ], [ %index.next.i.i.i, %vector.body.i.i.i ]
  %vec.phi.i.i.i = phi <2 x i64> [ zeroinitializer, %vector.ph.i.i.i ], [ %44, %vector.body.i.i.i ]
  %vec.phi1.i.i.i = phi <2 x i64> [ zeroinitializer, %vector.ph.i.i.i ], [ %45, %vector.body.i.i.i ]
  %scevgep9.i.i.i = getelementptr i8, ptr %scevgep.i.i.i, i64 %index.i.i.i
  %scevgep10.i.i.i = getelementptr i8, ptr %scevgep9.i.i.i, i64 -2
  %wide.load.i.i.i = load <2 x i8>, ptr %scevgep10.i.i.i, align 1
  %wide.load2.i.i.i = load <2 x i8>, ptr %scevgep9.i.i.i, align 1
  %32 = icmp ult <2 x i8> %wide.load.i.i.i, splat (i8 32)
  %33 = icmp ult <2 x i8> %wide.load2.i.i.i, splat (i8 32)
  %34 = icmp eq <2 x i8> %wide.load.i.i.i, splat (i8 34)
  %35 = icmp eq <2 x i8> %wide.load2.i.i.i, splat (i8 34)
  %36 = or <2 x i1> %32, %34
  %37 = or <2 x i1> %33, %35
  %38 = icmp eq <2 x i8> %wide.load.i.i.i, splat (i8 92)
  %39 = icmp eq <2 x i8> %wide.load2.i.i.i, splat (i8 92)
  %40 = or <2 x i1> %38, %36
  %41 = or <2 x i1> %39, %37
  %42 = zext <2 x i1> %40 to <2 x i64>
  %43 = zext <2 x i1> %41 to <2 x i64>
  %44 = or <2 x i64> %vec.phi.i.i.i, %42
  %45 = or <2 x i64> %vec.phi1.i.i.i, %43
  %index.next.i.i.i = add nuw i64 %index.i.i.i, 4
  %46 = icmp eq i64 %n.vec.i.i.i, %index.next.i.i.i
  br i1 %46, label %middle.block.i.i.i, label %vector.body.i.i.i

middle.block.i.i.i:                               ; preds = %vector.body.i.i.i
  %47 = add i64 %n.vec.i.i.i, %.774.i
  %bin.rdx.i.i.i = or <2 x i64> %45, %44
  %rdx.shuf.i.i.i = shufflevector <2 x i64> %bin.rdx.i.i.i, <2 x i64> poison, <2 x i32> <i32 1, i32 poison>
  %bin.rdx11.i.i.i = or <2 x i64> %rdx.shuf.i.i.i, %bin.rdx.i.i.i
  %48 = extractelement <2 x i64> %bin.rdx11.i.i.i, i64 0
  %cmp.n.i.i.i = icmp eq i64 %30, %n.vec.i.i.i
  br i1 %cmp.n.i.i.i, label %is_plain.exit.i.i, label %B56.i.i.i.preheader

B56.i.i.i.preheader:                              ; preds = %middle.block.i.i.i, %B56.preheader.i.i.i
  %begin.2.0.i.i.i.ph = phi i64 [ %.774.i, %B56.preheader.i.i.i ], [ %47, %middle.block.i.i.i ]
  %special.2.0.i.i.i.ph = phi i64 [ 0, %B56.preheader.i.i.i ], [ %48, %middle.block.i.i.i ]
  br label %B56.i.i.i

B56.i.i.i:                                        ; preds = %B56.i.i.i.preheader, %B56.i.i.i
  %begin.2.0.i.i.i = phi i64 [ %.86.i.i.i, %B56.i.i.i ], [ %begin.2.0.i.i.i.ph, %B56.i.i.i.preheader ]
  %special.2.0.i.i.i = phi i64 [ %.80.i.i.i, %B56.i.i.i ], [ %special.2.0.i.i.i.ph, %B56.i.i.i.preheader ]
  %.63.i.i.i = getelementptr i8, ptr %arg.texts, i64 %begin.2.0.i.i.i
  %.64.i.i.i = load i8, ptr %.63.i.i.i, align 1
  %.65.i.i.i = icmp ult i8 %.64.i.i.i, 32
  %.68.i.i.i = icmp eq i8 %.64.i.i.i, 34
  %.7333.i.i.i = or i1 %.65.i.i.i, %.68.i.i.i
  %.74.i.i.i = icmp eq i8 %.64.i.i.i, 92
  %.7834.i.i.i = or i1 %.74.i.i.i, %.7333.i.i.i
  %.78.i.i.i = zext i1 %.7834.i.i.i to i64
  %.80.i.i.i = or i64 %special.2.0.i.i.i, %.78.i.i.i
  %.86.i.i.i = add nuw i64 %begin.2.0.i.i.i, 1
  %exitcond.not.i.i.i = icmp eq i64 %.992.i, %.86.i.i.i
  br i1 %exitcond.not.i.i.i, label %is_plain.exit.i.i, label %B56.i.i.i

is_plain.exit.i.i: ; preds = %B56.i.i.i, %middle.block.i.i.i
  %.80.lcssa.i.i.i = phi i64 [ %48, %middle.block.i.i.i ], [ %.80.i.i.i, %B56.i.i.i ]
  %.not.i.i = icmp eq i64 %.80.lcssa.i.i.i, 0
  br i1 %.not.i.i, label %B80.i.i.i, label %B262.i.i

B80.i.i.i:                                        ; preds = %is_plain.exit.i.i
  %.72.i.i.i = sub i64 %arg.octets_0, %.77.i.i.i
  %.73.i.i.i = icmp ugt i64 %30, %.72.i.i.i
  br i1 %.73.i.i.i, label %join.exit, label %B182.preheader.i.i.i

B80.i.thread.i.i:                                 ; preds = %B148.i.i
  %.72.i40.i.i = sub i64 %arg.octets_0, %.77.i.i.i
  %.73.i41.i.i = icmp ugt i64 %30, %.72.i40.i.i
  br i1 %.73.i41.i.i, label %join.exit, label %B1038.i.i

common.ret.loopexit.i.i.i:                        ; preds = %B182.i.i.i
  %49 = add i64 %61, %at.2.0.unr.i.i.i
  br label %B1016.i.i

B182.preheader.i.i.i:                             ; preds = %B80.i.i.i
  %min.iters.check.i4.i.i = icmp ult i64 %30, 32
  br i1 %min.iters.check.i4.i.i, label %B182.preheader7.i.i.i, label %vector.memcheck.i.i.i

vector.memcheck.i.i.i:                            ; preds = %B182.preheader.i.i.i
  %50 = add i64 %.77.i.i.i, %0
  %51 = add i64 %.774.i, %1
  %52 = sub i64 %50, %51
  %diff.check.i.i.i = icmp ult i64 %52, 32
  br i1 %diff.check.i.i.i, label %B182.preheader7.i.i.i, label %vector.ph.i5.i.i

vector.ph.i5.i.i:                                 ; preds = %vector.memcheck.i.i.i
  %n.vec.i6.i.i = and i64 %30, -32
  %53 = getelementptr i8, ptr %arg.octets, i64 %.77.i.i.i
  %scevgep26.i.i.i = getelementptr i8, ptr %53, i64 16
  %54 = getelementptr i8, ptr %arg.texts, i64 %.774.i
  %scevgep30.i.i.i = getelementptr i8, ptr %54, i64 16
  br label %vector.body.i7.i.i

vector.body.i7.i.i:                               ; preds = %vector.body.i7.i.i, %vector.ph.i5.i.i
  %index.i8.i.i = phi i64 [ 0, %vector.ph.i5.i.i ], [ %index.next.i10.i.i, %vector.body.i7.i.i ]
  %scevgep32.i.i.i = getelementptr i8, ptr %scevgep30.i.i.i, i64 %index.i8.i.i
  %scevgep33.i.i.i = getelementptr i8, ptr %scevgep32.i.i.i, i64 -16
  %wide.load.i9.i.i = load <16 x i8>, ptr %scevgep33.i.i.i, align 1
  %wide.load5.i.i.i = load <16 x i8>, ptr %scevgep32.i.i.i, align 1
  %scevgep28.i.i.i = getelementptr i8, ptr %scevgep26.i.i.i, i64 %index.i8.i.i
  %scevgep29.i.i.i = getelementptr i8, ptr %scevgep28.i.i.i, i64 -16
  store <16 x i8> %wide.load.i9.i.i, ptr %scevgep29.i.i.i, align 1
  store <16 x i8> %wide.load5.i.i.i, ptr %scevgep28.i.i.i, align 1
  %index.next.i10.i.i = add nuw i64 %index.i8.i.i, 32
  %55 = icmp eq i64 %n.vec.i6.i.i, %index.next.i10.i.i
  br i1 %55, label %middle.block.i11.i.i, label %vector.body.i7.i.i

middle.block.i11.i.i:                             ; preds = %vector.body.i7.i.i
  %56 = add i64 %n.vec.i6.i.i, %.77.i.i.i
  %cmp.n.i12.i.i = icmp eq i64 %30, %n.vec.i6.i.i
  br i1 %cmp.n.i12.i.i, label %B1016.i.i, label %middle.block.B182.preheader7_crit_edge.i.i.i

middle.block.B182.preheader7_crit_edge.i.i.i:     ; preds = %middle.block.i11.i.i
  %57 = add i64 %n.vec.i6.i.i, %.774.i
  %.pre.i.i.i = sub i64 %.992.i, %57
  br label %B182.preheader7.i.i.i

B182.preheader7.i.i.i:                            ; preds = %middle.block.B182.preheader7_crit_edge.i.i.i, %vector.memcheck.i.i.i, %B182.preheader.i.i.i
  %.pre-phi.i.i.i = phi i64 [ %.pre.i.i.i, %middle.block.B182.preheader7_crit_edge.i.i.i ], [ %30, %vector.memcheck.i.i.i ], [ %30, %B182.preheader.i.i.i ]
  %begin.2.0.ph.i13.i.i = phi i64 [ %57, %middle.block.B182.preheader7_crit_edge.i.i.i ], [ %.774.i, %vector.memcheck.i.i.i ], [ %.774.i, %B182.preheader.i.i.i ]
  %at.2.0.ph.i.i.i = phi i64 [ %56, %middle.block.B182.preheader7_crit_edge.i.i.i ], [ %.77.i.i.i, %vector.memcheck.i.i.i ], [ %.77.i.i.i, %B182.preheader.i.i.i ]
  %xtraiter.i.i.i = and i64 %.pre-phi.i.i.i, 3
  %lcmp.mod.not.i.i.i = icmp eq i64 %xtraiter.i.i.i, 0
  br i1 %lcmp.mod.not.i.i.i, label %B182.prol.loopexit.i.i.i, label %B182.prol.i.i.i

B182.prol.i.i.i:                                  ; preds = %B182.preheader7.i.i.i, %B182.prol.i.i.i
  %lsr.iv24.i.i.i = phi i64 [ %lsr.iv.next25.i.i.i, %B182.prol.i.i.i ], [ %xtraiter.i.i.i, %B182.preheader7.i.i.i ]
  %begin.2.0.prol.i.i.i = phi i64 [ %.170.prol.i.i.i, %B182.prol.i.i.i ], [ %begin.2.0.ph.i13.i.i, %B182.preheader7.i.i.i ]
  %at.2.0.prol.i.i.i = phi i64 [ %.174.prol.i.i.i, %B182.prol.i.i.i ], [ %at.2.0.ph.i.i.i, %B182.preheader7.i.i.i ]
  %.139.prol.i.i.i = getelementptr i8, ptr %arg.texts, i64 %begin.2.0.prol.i.i.i
  %.140.prol.i.i.i = load i8, ptr %.139.prol.i.i.i, align 1
  %.167.prol.i.i.i = getelementptr i8, ptr %arg.octets, i64 %at.2.0.prol.i.i.i
  store i8 %.140.prol.i.i.i, ptr %.167.prol.i.i.i, align 1
  %.170.prol.i.i.i = add i64 %begin.2.0.prol.i.i.i, 1
  %.174.prol.i.i.i = add i64 %at.2.0.prol.i.i.i, 1
  %lsr.iv.next25.i.i.i = add nsw i64 %lsr.iv24.i.i.i, -1
  %prol.iter.cmp.not.i.i.i = icmp eq i64 %lsr.iv.next25.i.i.i, 0
  br i1 %prol.iter.cmp.not.i.i.i, label %B182.prol.loopexit.i.i.i, label %B182.prol.i.i.i

B182.prol.loopexit.i.i.i:                         ; preds = %B182.prol.i.i.i, %B182.preheader7.i.i.i
  %.174.lcssa.unr.i.i.i = phi i64 [ poison, %B182.preheader7.i.i.i ], [ %.174.prol.i.i.i, %B182.prol.i.i.i ]
  %begin.2.0.unr.i.i.i = phi i64 [ %begin.2.0.ph.i13.i.i, %B182.preheader7.i.i.i ], [ %.170.prol.i.i.i, %B182.prol.i.i.i ]
  %at.2.0.unr.i.i.i = phi i64 [ %at.2.0.ph.i.i.i, %B182.preheader7.i.i.i ], [ %.174.prol.i.i.i, %B182.prol.i.i.i ]
  %58 = sub i64 %begin.2.0.ph.i13.i.i, %.992.i
  %59 = icmp ugt i64 %58, -4
  br i1 %59, label %B1016.i.i, label %B182.preheader8.i.i.i

B182.preheader8.i.i.i:                            ; preds = %B182.prol.loopexit.i.i.i
  %60 = getelementptr i8, ptr %arg.texts, i64 %begin.2.0.unr.i.i.i
  %scevgep.i14.i.i = getelementptr i8, ptr %60, i64 3
  %61 = sub i64 %.992.i, %begin.2.0.unr.i.i.i
  %62 = getelementptr i8, ptr %arg.octets, i64 %at.2.0.unr.i.i.i
  %scevgep16.i.i.i = getelementptr i8, ptr %62, i64 3
  br label %B182.i.i.i

B182.i.i.i:                                       ; preds = %B182.i.i.i, %B182.preheader8.i.i.i
  %lsr.iv.i.i.i = phi i64 [ 0, %B182.preheader8.i.i.i ], [ %lsr.iv.next.i.i.i, %B182.i.i.i ]
  %scevgep14.i.i.i = getelementptr i8, ptr %scevgep.i14.i.i, i64 %lsr.iv.i.i.i
  %scevgep15.i.i.i = getelementptr i8, ptr %scevgep14.i.i.i, i64 -3
  %.140.i.i.i = load i8, ptr %scevgep15.i.i.i, align 1
  %scevgep22.i.i.i = getelementptr i8, ptr %scevgep16.i.i.i, i64 %lsr.iv.i.i.i
  %scevgep23.i.i.i = getelementptr i8, ptr %scevgep22.i.i.i, i64 -3
  store i8 %.140.i.i.i, ptr %scevgep23.i.i.i, align 1
  %scevgep26.i8.i = getelementptr i8, ptr %scevgep14.i.i.i, i64 -2
  %.140.1.i.i.i = load i8, ptr %scevgep26.i8.i, align 1
  %scevgep21.i.i.i = getelementptr i8, ptr %scevgep22.i.i.i, i64 -2
  store i8 %.140.1.i.i.i, ptr %scevgep21.i.i.i, align 1
  %scevgep24.i.i = getelementptr i8, ptr %scevgep14.i.i.i, i64 -1
  %.140.2.i.i.i = load i8, ptr %scevgep24.i.i, align 1
  %scevgep20.i.i = getelementptr i8, ptr %scevgep22.i.i.i, i64 -1
  store i8 %.140.2.i.i.i, ptr %scevgep20.i.i, align 1
  %.140.3.i.i.i = load i8, ptr %scevgep14.i.i.i, align 1
  store i8 %.140.3.i.i.i, ptr %scevgep22.i.i.i, align 1
  %lsr.iv.next.i.i.i = add i64 %lsr.iv.i.i.i, 4
  %exitcond.not.3.i.i.i = icmp eq i64 %61, %lsr.iv.next.i.i.i
  br i1 %exitcond.not.3.i.i.i, label %common.ret.loopexit.i.i.i, label %B182.i.i.i

B262.i.i:                                         ; preds = %is_plain.exit.i.i, %B992.i.i
  %begin.4.1.i.i = phi i64 [ %.280.i.i, %B992.i.i ], [ %.774.i, %is_plain.exit.i.i ]
  %at.7.1.i.i = phi i64 [ %.704.i.i, %B992.i.i ], [ %.77.i.i.i, %is_plain.exit.i.i ]
  %.274.i.i = getelementptr i8, ptr %arg.texts, i64 %begin.4.1.i.i
  %.275.i.i = load i8, ptr %.274.i.i, align 1
  %.280.i.i = add i64 %begin.4.1.i.i, 1
  %.297.i.i = sub i64 %arg.octets_0, %at.7.1.i.i
  %.298.i.i = icmp ult i64 %.297.i.i, 6
  br i1 %.298.i.i, label %join.exit, label %B392.i.i

B392.i.i:                                         ; preds = %B262.i.i
  %.321.i.i = icmp ugt i8 %.275.i.i, 31
  br i1 %.321.i.i, label %B414.endif.endif.i.i, label %B478.i.i

B446.i.i:                                         ; preds = %B414.endif.endif.i.i
  %.394.i.i = getelementptr i8, ptr %arg.octets, i64 %at.7.1.i.i
  store i8 %.275.i.i, ptr %.394.i.i, align 1
  br label %B980.i.i

B478.i.i:                                         ; preds = %B414.endif.endif.i.i, %B414.endif.endif.i.i, %B392.i.i
  %.432.i.i = getelementptr i8, ptr %arg.octets, i64 %at.7.1.i.i
  store i8 92, ptr %.432.i.i, align 1
  switch i8 %.275.i.i, label %B588.i.i [
    i8 92, label %B540.i.i
    i8 34, label %B540.i.i
    i8 8, label %B52.i.i.i
    i8 9, label %B78.i.i.i
    i8 10, label %B104.i.i.i
    i8 12, label %B130.i.i.i
    i8 13, label %B156.i.i.i
  ]

B52.i.i.i:                                        ; preds = %B478.i.i
  br label %B540.i.i

B78.i.i.i:                                        ; preds = %B478.i.i
  br label %B540.i.i

B104.i.i.i:                                       ; preds = %B478.i.i
  br label %B540.i.i

B130.i.i.i:                                       ; preds = %B478.i.i
  br label %B540.i.i

B156.i.i.i:                                       ; preds = %B478.i.i
  br label %B540.i.i

B540.i.i:                                         ; preds = %B156.i.i.i, %B130.i.i.i, %B104.i.i.i, %B78.i.i.i, %B52.i.i.i, %B478.i.i, %B478.i.i
  %.sink.i.ph.i.i = phi i8 [ %.275.i.i, %B478.i.i ], [ %.275.i.i, %B478.i.i ], [ 98, %B52.i.i.i ], [ 116, %B78.i.i.i ], [ 110, %B104.i.i.i ], [ 102, %B130.i.i.i ], [ 114, %B156.i.i.i ]
  %sunkaddr30.i.i = getelementptr i8, ptr %.432.i.i, i64 1
  store i8 %.sink.i.ph.i.i, ptr %sunkaddr30.i.i, align 1
  br label %B980.i.i

B588.i.i:                                         ; preds = %B478.i.i
  %sunkaddr34.i.i = getelementptr i8, ptr %.432.i.i, i64 1
  store i8 117, ptr %sunkaddr34.i.i, align 1
  %sunkaddr38.i.i = getelementptr i8, ptr %.432.i.i, i64 2
  store i8 48, ptr %sunkaddr38.i.i, align 1
  %sunkaddr40.i.i = getelementptr i8, ptr %.432.i.i, i64 3
  store i8 48, ptr %sunkaddr40.i.i, align 1
  %.599.i.i = lshr i8 %.275.i.i, 4
  %63 = or disjoint i8 %.599.i.i, 48
  %sunkaddr42.i.i = getelementptr i8, ptr %.432.i.i, i64 4
  store i8 %63, ptr %sunkaddr42.i.i, align 1
  %64 = and i8 %.275.i.i, 15
  %.645.i.i = icmp samesign ult i8 %64, 10
  %.650.i.i = or disjoint i8 %64, 48
  %.665.i.i = add nuw nsw i8 %64, 87
  %"$phi920.0.2.2.i.i" = select i1 %.645.i.i, i8 %.650.i.i, i8 %.665.i.i
  %sunkaddr44.i.i = getelementptr i8, ptr %.432.i.i, i64 5
  store i8 %"$phi920.0.2.2.i.i", ptr %sunkaddr44.i.i, align 1
  br label %B980.i.i

B980.i.i:                                         ; preds = %B588.i.i, %B540.i.i, %B446.i.i
  %.sink.i.i = phi i64 [ 6, %B588.i.i ], [ 2, %B540.i.i ], [ 1, %B446.i.i ]
  %.704.i.i = add i64 %.sink.i.i, %at.7.1.i.i
  %exitcond.not.i7.i = icmp eq i64 %.992.i, %.280.i.i
  br i1 %exitcond.not.i7.i, label %B1016.i.i, label %B992.i.i

B992.i.i:                                         ; preds = %B980.i.i
  %.729.not.i.i = icmp eq i64 %.704.i.i, -1
  br i1 %.729.not.i.i, label %join.exit, label %B262.i.i

B1016.i.i:                                        ; preds = %B980.i.i, %B182.prol.loopexit.i.i.i, %middle.block.i11.i.i, %common.ret.loopexit.i.i.i
  %at.9.0.i.i = phi i64 [ %56, %middle.block.i11.i.i ], [ %49, %common.ret.loopexit.i.i.i ], [ %.174.lcssa.unr.i.i.i, %B182.prol.loopexit.i.i.i ], [ %.704.i.i, %B980.i.i ]
  %.758.not.i.i = icmp eq i64 %at.9.0.i.i, -1
  br i1 %.758.not.i.i, label %join.exit, label %B1038.i.i

B1038.i.i:                                        ; preds = %B1016.i.i, %B80.i.thread.i.i
  %at.9.031.i.i = phi i64 [ %at.9.0.i.i, %B1016.i.i ], [ %.77.i.i.i, %B80.i.thread.i.i ]
  %.32.not.i18.i.i = icmp ult i64 %at.9.031.i.i, %arg.octets_0
  br i1 %.32.not.i18.i.i, label %B82.i20.i.i, label %join.exit

B82.i20.i.i:                                      ; preds = %B1038.i.i
  %.69.i21.i.i = getelementptr i8, ptr %arg.octets, i64 %at.9.031.i.i
  store i8 34, ptr %.69.i21.i.i, align 1
  %.77.i22.i.i = add nuw i64 %at.9.031.i.i, 1
  br label %B1364.i

B94.endif.i.i:                                    ; preds = %B1054.i
  %.69.i.i.i = getelementptr i8, ptr %arg.octets, i64 %at.10.1.i
  store i8 34, ptr %.69.i.i.i, align 1
  %.77.i.i.i = add nuw i64 %at.10.1.i, 1
  %.121.not.i.i = icmp eq i64 %.77.i.i.i, -1
  br i1 %.121.not.i.i, label %join.exit, label %B148.i.i

B414.endif.endif.i.i:                             ; preds = %B392.i.i
  switch i8 %.275.i.i, label %B446.i.i [
    i8 92, label %B478.i.i
    i8 34, label %B478.i.i
  ]

B1150.i:                                          ; preds = %B794.i
  %.32.not.i.i = icmp ugt i64 %arg.octets_0, %at.10.1.i
  br i1 %.32.not.i.i, label %B1184.i, label %join.exit

B1184.i:                                          ; preds = %B1150.i
  %.69.i.i = getelementptr i8, ptr %arg.octets, i64 %at.10.1.i
  store i8 34, ptr %.69.i.i, align 1
  %.77.i.i = add nuw i64 %at.10.1.i, 1
  %.1083.not.i = icmp eq i64 %.77.i.i, -1
  br i1 %.1083.not.i, label %join.exit, label %B1208.i

B1208.i:                                          ; preds = %B1184.i, %B794.i
  %"$phi1184.0.2.3751.i" = phi i64 [ %.77.i.i, %B1184.i ], [ %at.10.1.i, %B794.i ]
  %sunkaddr136.i = shl i64 %.267.i, 3
  %sunkaddr137.i = getelementptr i8, ptr %invariant.gep.i, i64 %sunkaddr136.i
  %sunkaddr138.i = getelementptr i8, ptr %sunkaddr137.i, i64 8
  %.1118.i = load i64, ptr %sunkaddr138.i, align 8
  %.43.i17.i = icmp ult i64 %.1118.i, %.774.i
  %.56.i18.i = icmp ugt i64 %.1118.i, %arg.texts_0
  %or.cond.i19.i = select i1 %.43.i17.i, i1 true, i1 %.56.i18.i
  br i1 %or.cond.i19.i, label %B1282.i, label %B80.i20.i

B80.i20.i:                                        ; preds = %B1208.i
  %.60.i21.i = sub nuw i64 %.1118.i, %.774.i
  %.72.i22.i = sub i64 %arg.octets_0, %"$phi1184.0.2.3751.i"
  %.73.i23.i = icmp ugt i64 %.60.i21.i, %.72.i22.i
  br i1 %.73.i23.i, label %B1282.i, label %B170.i24.i

common.ret.loopexit.i88.i:                        ; preds = %B182.i72.i
  %65 = add i64 %77, %at.2.0.unr.i68.i
  br label %B1282.i

B170.i24.i:                                       ; preds = %B80.i20.i
  %.109.i25.i = icmp ugt i64 %.1118.i, %.774.i
  br i1 %.109.i25.i, label %B182.preheader.i27.i, label %B1282.i

B182.preheader.i27.i:                             ; preds = %B170.i24.i
  %min.iters.check.i28.i = icmp ult i64 %.60.i21.i, 32
  br i1 %min.iters.check.i28.i, label %B182.preheader7.i48.i, label %vector.memcheck.i29.i

vector.memcheck.i29.i:                            ; preds = %B182.preheader.i27.i
  %66 = add i64 %.774.i, %1
  %67 = sub i64 %0, %66
  %68 = add i64 %67, %"$phi1184.0.2.3751.i"
  %diff.check.i30.i = icmp ult i64 %68, 32
  br i1 %diff.check.i30.i, label %B182.preheader7.i48.i, label %vector.ph.i31.i

vector.ph.i31.i:                                  ; preds = %vector.memcheck.i29.i
  %n.vec.i32.i = and i64 %.60.i21.i, -32
  %69 = getelementptr i8, ptr %arg.octets, i64 %"$phi1184.0.2.3751.i"
  %scevgep26.i33.i = getelementptr i8, ptr %69, i64 16
  %70 = getelementptr i8, ptr %arg.texts, i64 %.774.i
  %scevgep30.i34.i = getelementptr i8, ptr %70, i64 16
  br label %vector.body.i35.i

vector.body.i35.i:                                ; preds = %vector.body.i35.i, %vector.ph.i31.i
  %index.i36.i = phi i64 [ 0, %vector.ph.i31.i ], [ %index.next.i43.i, %vector.body.i35.i ]
  %scevgep32.i37.i = getelementptr i8, ptr %scevgep30.i34.i, i64 %index.i36.i
  %scevgep33.i38.i = getelementptr i8, ptr %scevgep32.i37.i, i64 -16
  %wide.load.i39.i = load <16 x i8>, ptr %scevgep33.i38.i, align 1
  %wide.load5.i40.i = load <16 x i8>, ptr %scevgep32.i37.i, align 1
  %scevgep28.i41.i = getelementptr i8, ptr %scevgep26.i33.i, i64 %index.i36.i
  %scevgep29.i42.i = getelementptr i8, ptr %scevgep28.i41.i, i64 -16
  store <16 x i8> %wide.load.i39.i, ptr %scevgep29.i42.i, align 1
  store <16 x i8> %wide.load5.i40.i, ptr %scevgep28.i41.i, align 1
  %index.next.i43.i = add nuw i64 %index.i36.i, 32
  %71 = icmp eq i64 %n.vec.i32.i, %index.next.i43.i
  br i1 %71, label %middle.block.i44.i, label %vector.body.i35.i

middle.block.i44.i:                               ; preds = %vector.body.i35.i
  %72 = add i64 %n.vec.i32.i, %"$phi1184.0.2.3751.i"
  %cmp.n.i45.i = icmp eq i64 %.60.i21.i, %n.vec.i32.i
  br i1 %cmp.n.i45.i, label %B1282.i, label %middle.block.B182.preheader7_crit_edge.i46.i

middle.block.B182.preheader7_crit_edge.i46.i:     ; preds = %middle.block.i44.i
  %73 = add i64 %n.vec.i32.i, %.774.i
  %.pre.i47.i = sub i64 %.1118.i, %73
  br label %B182.preheader7.i48.i

B182.preheader7.i48.i:                            ; preds = %middle.block.B182.preheader7_crit_edge.i46.i, %vector.memcheck.i29.i, %B182.preheader.i27.i
  %.pre-phi.i49.i = phi i64 [ %.pre.i47.i, %middle.block.B182.preheader7_crit_edge.i46.i ], [ %.60.i21.i, %vector.memcheck.i29.i ], [ %.60.i21.i, %B182.preheader.i27.i ]
  %begin.2.0.ph.i50.i = phi i64 [ %73, %middle.block.B182.preheader7_crit_edge.i46.i ], [ %.774.i, %vector.memcheck.i29.i ], [ %.774.i, %B182.preheader.i27.i ]
  %at.2.0.ph.i51.i = phi i64 [ %72, %middle.block.B182.preheader7_crit_edge.i46.i ], [ %"$phi1184.0.2.3751.i", %vector.memcheck.i29.i ], [ %"$phi1184.0.2.3751.i", %B182.preheader.i27.i ]
  %xtraiter.i52.i = and i64 %.pre-phi.i49.i, 3
  %lcmp.mod.not.i53.i = icmp eq i64 %xtraiter.i52.i, 0
  br i1 %lcmp.mod.not.i53.i, label %B182.prol.loopexit.i65.i, label %B182.prol.i54.i

B182.prol.i54.i:                                  ; preds = %B182.preheader7.i48.i, %B182.prol.i54.i
  %lsr.iv24.i55.i = phi i64 [ %lsr.iv.next25.i63.i, %B182.prol.i54.i ], [ %xtraiter.i52.i, %B182.preheader7.i48.i ]
  %begin.2.0.prol.i56.i = phi i64 [ %.170.prol.i61.i, %B182.prol.i54.i ], [ %begin.2.0.ph.i50.i, %B182.preheader7.i48.i ]
  %at.2.0.prol.i57.i = phi i64 [ %.174.prol.i62.i, %B182.prol.i54.i ], [ %at.2.0.ph.i51.i, %B182.preheader7.i48.i ]
  %.139.prol.i58.i = getelementptr i8, ptr %arg.texts, i64 %begin.2.0.prol.i56.i
  %.140.prol.i59.i = load i8, ptr %.139.prol.i58.i, align 1
  %.167.prol.i60.i = getelementptr i8, ptr %arg.octets, i64 %at.2.0.prol.i57.i
  store i8 %.140.prol.i59.i, ptr %.167.prol.i60.i, align 1
  %.170.prol.i61.i = add i64 %begin.2.0.prol.i56.i, 1
  %.174.prol.i62.i = add i64 %at.2.0.prol.i57.i, 1
  %lsr.iv.next25.i63.i = add nsw i64 %lsr.iv24.i55.i, -1
  %prol.iter.cmp.not.i64.i = icmp eq i64 %lsr.iv.next25.i63.i, 0
  br i1 %prol.iter.cmp.not.i64.i, label %B182.prol.loopexit.i65.i, label %B182.prol.i54.i

B182.prol.loopexit.i65.i:                         ; preds = %B182.prol.i54.i, %B182.preheader7.i48.i
  %.174.lcssa.unr.i66.i = phi i64 [ poison, %B182.preheader7.i48.i ], [ %.174.prol.i62.i, %B182.prol.i54.i ]
  %begin.2.0.unr.i67.i = phi i64 [ %begin.2.0.ph.i50.i, %B182.preheader7.i48.i ], [ %.170.prol.i61.i, %B182.prol.i54.i ]
  %at.2.0.unr.i68.i = phi i64 [ %at.2.0.ph.i51.i, %B182.preheader7.i48.i ], [ %.174.prol.i62.i, %B182.prol.i54.i ]
  %74 = sub i64 %begin.2.0.ph.i50.i, %.1118.i
  %75 = icmp ugt i64 %74, -4
  br i1 %75, label %B1282.i, label %B182.preheader8.i69.i

B182.preheader8.i69.i:                            ; preds = %B182.prol.loopexit.i65.i
  %76 = getelementptr i8, ptr %arg.texts, i64 %begin.2.0.unr.i67.i
  %scevgep.i70.i = getelementptr i8, ptr %76, i64 3
  %77 = sub i64 %.1118.i, %begin.2.0.unr.i67.i
  %78 = getelementptr i8, ptr %arg.octets, i64 %at.2.0.unr.i68.i
  %scevgep16.i71.i = getelementptr i8, ptr %78, i64 3
  br label %B182.i72.i

B182.i72.i:                                       ; preds = %B182.i72.i, %B182.preheader8.i69.i
  %lsr.iv.i73.i = phi i64 [ 0, %B182.preheader8.i69.i ], [ %lsr.iv.next.i86.i, %B182.i72.i ]
  %scevgep14.i74.i = getelementptr i8, ptr %scevgep.i70.i, i64 %lsr.iv.i73.i
  %scevgep15.i75.i = getelementptr i8, ptr %scevgep14.i74.i, i64 -3
  %.140.i76.i = load i8, ptr %scevgep15.i75.i, align 1
  %scevgep22.i77.i = getelementptr i8, ptr %scevgep16.i71.i, i64 %lsr.iv.i73.i
  %scevgep23.i78.i = getelementptr i8, ptr %scevgep22.i77.i, i64 -3
  store i8 %.140.i76.i, ptr %scevgep23.i78.i, align 1
  %scevgep16.i = getelementptr i8, ptr %scevgep14.i74.i, i64 -2
  %.140.1.i80.i = load i8, ptr %scevgep16.i, align 1
  %scevgep21.i81.i = getelementptr i8, ptr %scevgep22.i77.i, i64 -2
  store i8 %.140.1.i80.i, ptr %scevgep21.i81.i, align 1
  %scevgep14.i = getelementptr i8, ptr %scevgep14.i74.i, i64 -1
  %.140.2.i83.i = load i8, ptr %scevgep14.i, align 1
  %scevgep12.i = getelementptr i8, ptr %scevgep22.i77.i, i64 -1
  store i8 %.140.2.i83.i, ptr %scevgep12.i, align 1
  %.140.3.i85.i = load i8, ptr %scevgep14.i74.i, align 1
  store i8 %.140.3.i85.i, ptr %scevgep22.i77.i, align 1
  %lsr.iv.next.i86.i = add i64 %lsr.iv.i73.i, 4
  %exitcond.not.3.i87.i = icmp eq i64 %77, %lsr.iv.next.i86.i
  br i1 %exitcond.not.3.i87.i, label %common.ret.loopexit.i88.i, label %B182.i72.i

B1282.i:                                          ; preds = %B182.prol.loopexit.i65.i, %middle.block.i44.i, %B170.i24.i, %common.ret.loopexit.i88.i, %B80.i20.i, %B1208.i
  %storemerge.i26.i = phi i64 [ -1, %B1208.i ], [ -1, %B80.i20.i ], [ %"$phi1184.0.2.3751.i", %B170.i24.i ], [ %72, %middle.block.i44.i ], [ %.174.lcssa.unr.i66.i, %B182.prol.loopexit.i65.i ], [ %65, %common.ret.loopexit.i88.i ]
  %79 = icmp eq i64 %.218.i, 2
  br i1 %79, label %B1306.i, label %B1364.i

B1306.i:                                          ; preds = %B1282.i
  %.1181.not.i = icmp ne i64 %storemerge.i26.i, -1
  %.32.not.i90.i = icmp ult i64 %storemerge.i26.i, %arg.octets_0
  %or.cond105.i = select i1 %.1181.not.i, i1 %.32.not.i90.i, i1 false
  br i1 %or.cond105.i, label %B82.i92.i, label %join.exit

B82.i92.i:                                        ; preds = %B1306.i
  %.69.i93.i = getelementptr i8, ptr %arg.octets, i64 %storemerge.i26.i
  store i8 34, ptr %.69.i93.i, align 1
  %.77.i94.i = add nuw i64 %storemerge.i26.i, 1
  br label %B1364.i

B1364.i:                                          ; preds = %B82.i92.i, %B1282.i, %B82.i20.i.i, %put_integers.exit.i, %B552.endif.endif.endif.endif.endif.endif.i.i, %B838.i, %B182.prol.loopexit.i.i, %middle.block.i.i, %common.ret.loopexit.i.i, %B98.i.i
  %at.13.3.i = phi i64 [ %storemerge.i26.i, %B1282.i ], [ %.77.i94.i, %B82.i92.i ], [ %.806.i, %B838.i ], [ %.414.sink.i.i, %put_integers.exit.i ], [ %.174.lcssa.unr.i.i, %B182.prol.loopexit.i.i ], [ %.461.i.i, %B552.endif.endif.endif.endif.endif.endif.i.i ], [ %6, %common.ret.loopexit.i.i ], [ %13, %middle.block.i.i ], [ %.189.i.i, %B98.i.i ], [ %.77.i22.i.i, %B82.i20.i.i ]
  %.1231.i = icmp eq i64 %at.13.3.i, -1
  br i1 %.1231.i, label %join.exit, label %B1400.i

B1400.i:                                          ; preds = %B1364.i, %B170.i.i
  %at.13.3103.i = phi i64 [ %at.13.3.i, %B1364.i ], [ %at.10.1.i, %B170.i.i ]
  %.1284.i = add nuw i64 %operation.2.1.i, 1
  %exitcond.not.i = icmp eq i64 %.1284.i, %arg.program_0
  br i1 %exitcond.not.i, label %B1482.loopexit.i, label %B132.i

B1482.loopexit.i:                                 ; preds = %B1400.i
  %.1317.i = add nuw i64 %row.2.0.i, 1
  %.1346.i = getelementptr i32, ptr %arg.ends, i64 %.1317.i
  %.1347.i = trunc i64 %at.13.3103.i to i32
  store i32 %.1347.i, ptr %.1346.i, align 4
  %exitcond748.not.i = icmp eq i64 %.1317.i, %arg.rows
  br i1 %exitcond748.not.i, label %join.exit, label %B56.i

B576.endif.endif.i:                               ; preds = %B512.i
  %80 = and i64 %.218.i, -2
  %or.cond.i12.not.i = icmp eq i64 %80, 4
  %"$phi640.1.2.3.i" = select i1 %or.cond.i12.not.i, i64 1, i64 2
  %.657.i = add i64 %"$phi640.1.2.3.i", %row.2.0.i
  %.676.i = icmp ule i64 %arg.words_0, %.267.i
  %.689.i = sub i64 %arg.words_0, %.267.i
  %.691.i = icmp ugt i64 %.657.i, %.689.i
  %or.cond729.i = or i1 %.676.i, %.691.i
  br i1 %or.cond729.i, label %join.exit, label %B794.i

join.exit: ; preds = %B1482.loopexit.i, %B278.i, %B476.i, %B534.i, %B80.i.i, %B898.i, %B1054.i, %B80.i.i.i, %B80.i.thread.i.i, %B1016.i.i, %B1038.i.i, %B94.endif.i.i, %B1150.i, %B1184.i, %B1306.i, %B1364.i, %B576.endif.endif.i, %B262.i.i, %B992.i.i, %B0.endif.endif.endif.endif.endif.endif, %B56.us.preheader.i
  %.sink.i = phi i64 [ 0, %B56.us.preheader.i ], [ 1, %B262.i.i ], [ 0, %B0.endif.endif.endif.endif.endif.endif ], [ 1, %B278.i ], [ 1, %B992.i.i ], [ 1, %B576.endif.endif.i ], [ 1, %B1364.i ], [ 1, %B1306.i ], [ 1, %B1184.i ], [ 1, %B1150.i ], [ 1, %B94.endif.i.i ], [ 1, %B1038.i.i ], [ 1, %B1016.i.i ], [ 1, %B80.i.thread.i.i ], [ 1, %B80.i.i.i ], [ 1, %B1054.i ], [ 1, %B898.i ], [ 1, %B80.i.i ], [ 1, %B534.i ], [ 1, %B476.i ], [ 0, %B1482.loopexit.i ]
  call void @llvm.lifetime.end.p0(ptr nonnull %.790.i)
  store i64 %.sink.i, ptr %retptr, align 8
  ret i32 0
}

; Function Attrs: mustprogress nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare { i64, i1 } @llvm.usub.with.overflow.i64(i64, i64) #2

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: write)
define internal fastcc void @put_integer(ptr noalias nonnull writeonly captures(none) %retptr, i64 %arg.number, i64 %arg.quoted_from, ptr writeonly captures(none) %arg.octets.4, i64 %arg.octets.5.0, i64 %arg.at) unnamed_addr #3 {
B0:
  %.38 = sub i64 %arg.octets.5.0, %arg.at
  %.39 = icmp ult i64 %.38, 22
  br i1 %.39, label %common.ret, label %B98

common.ret:                                       ; preds = %B602, %B588, %B0
  %storemerge = phi i64 [ -1, %B0 ], [ %.424, %B602 ], [ %.292, %B588 ]
  store i64 %storemerge, ptr %retptr, align 8
  ret void

B98:                                              ; preds = %B0
  %"$phi162.0.2.0" = tail call i64 @llvm.abs.i64(i64 %arg.number, i1 false)
  %.88.not = icmp ult i64 %"$phi162.0.2.0", %arg.quoted_from
  br i1 %.88.not, label %B220, label %B180

B180:                                             ; preds = %B98
  %.122 = getelementptr i8, ptr %arg.octets.4, i64 %arg.at
  store i8 34, ptr %.122, align 1
  %.125 = add i64 %arg.at, 1
  br label %B220

B220:                                             ; preds = %B180, %B98
  %at.5.0 = phi i64 [ %.125, %B180 ], [ %arg.at, %B98 ]
  %0 = icmp slt i64 %arg.number, 0
  br i1 %0, label %B224, label %B264

B224:                                             ; preds = %B220
  %.167 = getelementptr i8, ptr %arg.octets.4, i64 %at.5.0
  store i8 45, ptr %.167, align 1
  %.170 = add i64 %at.5.0, 1
  br label %B264

B264:                                             ; preds = %B224, %B220
  %at.6.0 = phi i64 [ %.170, %B224 ], [ %at.5.0, %B220 ]
  %.190 = icmp ugt i64 %"$phi162.0.2.0", 9
  br i1 %.190, label %B326.preheader, label %B436

B326.preheader:                                   ; preds = %B264
  %.249.not = icmp ult i64 %"$phi162.0.2.0", 100
  br i1 %.249.not, label %B436, label %B326.1

B326.1:                                           ; preds = %B326.preheader
  %.249.not.1 = icmp ult i64 %"$phi162.0.2.0", 1000
  br i1 %.249.not.1, label %B436, label %B326.2

B326.2:                                           ; preds = %B326.1
  %.249.not.2 = icmp ult i64 %"$phi162.0.2.0", 10000
  br i1 %.249.not.2, label %B436, label %B326.3

B326.3:                                           ; preds = %B326.2
  %.249.not.3 = icmp ult i64 %"$phi162.0.2.0", 100000
  br i1 %.249.not.3, label %B436, label %B326.4

B326.4:                                           ; preds = %B326.3
  %.249.not.4 = icmp ult i64 %"$phi162.0.2.0", 1000000
  br i1 %.249.not.4, label %B436, label %B326.5

B326.5:                                           ; preds = %B326.4
  %.249.not.5 = icmp ult i64 %"$phi162.0.2.0", 10000000
  br i1 %.249.not.5, label %B436, label %B326.6

B326.6:                                           ; preds = %B326.5
  %.249.not.6 = icmp ult i64 %"$phi162.0.2.0", 100000000
  br i1 %.249.not.6, label %B436, label %B326.7

B326.7:                                           ; preds = %B326.6
  %.249.not.7 = icmp ult i64 %"$phi162.0.2.0", 1000000000
  br i1 %.249.not.7, label %B436, label %B326.8

B326.8:                                           ; preds = %B326.7
  %.249.not.8 = icmp ult i64 %"$phi162.0.2.0", 10000000000
  br i1 %.249.not.8, label %B436, label %B326.9

B326.9:                                           ; preds = %B326.8
  %.249.not.9 = icmp ult i64 %"$phi162.0.2.0", 100000000000
  br i1 %.249.not.9, label %B436, label %B326.10

B326.10:                                          ; preds = %B326.9
  %.249.not.10 = icmp ult i64 %"$phi162.0.2.0", 1000000000000
  br i1 %.249.not.10, label %B436, label %B326.11

B326.11:                                          ; preds = %B326.10
  %.249.not.11 = icmp ult i64 %"$phi162.0.2.0", 10000000000000
  br i1 %.249.not.11, label %B436, label %B326.12

B326.12:                                          ; preds = %B326.11
  %.249.not.12 = icmp ult i64 %"$phi162.0.2.0", 100000000000000
  br i1 %.249.not.12, label %B436, label %B326.13

B326.13:                                          ; preds = %B326.12
  %.249.not.13 = icmp ult i64 %"$phi162.0.2.0", 1000000000000000
  br i1 %.249.not.13, label %B436, label %B326.14

B326.14:                                          ; preds = %B326.13
  %.249.not.14 = icmp ult i64 %"$phi162.0.2.0", 10000000000000000
  br i1 %.249.not.14, label %B436, label %B326.15

B326.15:                                          ; preds = %B326.14
  %.249.not.15 = icmp ult i64 %"$phi162.0.2.0", 100000000000000000
  br i1 %.249.not.15, label %B436, label %B326.16

B326.16:                                          ; preds = %B326.15
  %.249.not.16 = icmp ult i64 %"$phi162.0.2.0", 1000000000000000000
  %spec.select = select i1 %.249.not.16, i64 18, i64 19
  br label %B436

B436:                                             ; preds = %B326.16, %B326.15, %B326.14, %B326.13, %B326.12, %B326.11, %B326.10, %B326.9, %B326.8, %B326.7, %B326.6, %B326.5, %B326.4, %B326.3, %B326.2, %B326.1, %B326.preheader, %B264
  %digits.3.0 = phi i64 [ 1, %B264 ], [ 2, %B326.preheader ], [ 13, %B326.11 ], [ 11, %B326.9 ], [ 3, %B326.1 ], [ 10, %B326.8 ], [ 4, %B326.2 ], [ 15, %B326.13 ], [ 5, %B326.3 ], [ %spec.select, %B326.16 ], [ 6, %B326.4 ], [ 12, %B326.10 ], [ 7, %B326.5 ], [ 17, %B326.15 ], [ 8, %B326.6 ], [ 14, %B326.12 ], [ 9, %B326.7 ], [ 16, %B326.14 ]
  %.292 = add i64 %digits.3.0, %at.6.0
  %.297 = icmp ugt i64 %.292, %at.6.0
  br i1 %.297, label %B458.endif.endif.preheader, label %B588

B458.endif.endif.preheader:                       ; preds = %B436
  %xtraiter = and i64 %digits.3.0, 1
  %lcmp.mod.not = icmp eq i64 %xtraiter, 0
  br i1 %lcmp.mod.not, label %B458.endif.endif.prol.loopexit, label %B458.endif.endif.prol

B458.endif.endif.prol:                            ; preds = %B458.endif.endif.preheader
  %.300.prol = add i64 %.292, -1
  %.312.prol = urem i64 %"$phi162.0.2.0", 10
  %.346.prol = getelementptr i8, ptr %arg.octets.4, i64 %.300.prol
  %1 = trunc nuw nsw i64 %.312.prol to i8
  %.347.prol = or disjoint i8 %1, 48
  store i8 %.347.prol, ptr %.346.prol, align 1
  %.357.prol = udiv i64 %"$phi162.0.2.0", 10
  br label %B458.endif.endif.prol.loopexit

B458.endif.endif.prol.loopexit:                   ; preds = %B458.endif.endif.prol, %B458.endif.endif.preheader
  %magnitude.2.0.unr = phi i64 [ %"$phi162.0.2.0", %B458.endif.endif.preheader ], [ %.357.prol, %B458.endif.endif.prol ]
  %place.2.0.unr = phi i64 [ %.292, %B458.endif.endif.preheader ], [ %.300.prol, %B458.endif.endif.prol ]
  %2 = icmp eq i64 %digits.3.0, 1
  br i1 %2, label %B588, label %B458.endif.endif

B588:                                             ; preds = %B458.endif.endif, %B458.endif.endif.prol.loopexit, %B436
  br i1 %.88.not, label %common.ret, label %B602

B602:                                             ; preds = %B588
  %.416 = getelementptr i8, ptr %arg.octets.4, i64 %.292
  store i8 34, ptr %.416, align 1
  %.424 = add i64 %.292, 1
  br label %common.ret

B458.endif.endif:                                 ; preds = %B458.endif.endif.prol.loopexit, %B458.endif.endif
  %magnitude.2.0 = phi i64 [ %.357.1, %B458.endif.endif ], [ %magnitude.2.0.unr, %B458.endif.endif.prol.loopexit ]
  %place.2.0 = phi i64 [ %.300.1, %B458.endif.endif ], [ %place.2.0.unr, %B458.endif.endif.prol.loopexit ]
  %.312 = urem i64 %magnitude.2.0, 10
  %3 = trunc nuw nsw i64 %.312 to i8
  %.347 = or disjoint i8 %3, 48
  %sunkaddr = getelementptr i8, ptr %arg.octets.4, i64 %place.2.0
  %sunkaddr9 = getelementptr i8, ptr %sunkaddr, i64 -1
  store i8 %.347, ptr %sunkaddr9, align 1
  %.357 = udiv i64 %magnitude.2.0, 10
  %.300.1 = add i64 %place.2.0, -2
  %.312.1 = urem i64 %.357, 10
  %4 = trunc nuw nsw i64 %.312.1 to i8
  %.347.1 = or disjoint i8 %4, 48
  %sunkaddr11 = getelementptr i8, ptr %sunkaddr, i64 -2
  store i8 %.347.1, ptr %sunkaddr11, align 1
  %.357.1 = udiv i64 %magnitude.2.0, 100
  %.366.1 = icmp ugt i64 %.300.1, %at.6.0
  br i1 %.366.1, label %B458.endif.endif, label %B588
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.abs.i64(i64, i1 immarg) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #5

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #1 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nofree norecurse nosync nounwind memory(argmem: write) }
attributes #4 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }

