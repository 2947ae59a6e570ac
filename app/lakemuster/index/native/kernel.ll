; Made by kernels/build.py with numba 0.68.1; not to be edited.
; kernel.py: 8caac3d11fe46b0875fcb156ac021684dad98214e635887f3dac291ca02778a5

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local noundef range(i32 -1, -2) i32 @lakemuster_extremes_of(ptr noalias writeonly captures(none) %retptr, ptr noalias readnone captures(none) %excinfo, ptr readonly captures(none) %arg.offsets, i64 %arg.offsets_0, ptr readonly captures(none) %arg.data, i64 %arg.data_0, ptr readonly captures(none) %arg.missing, i64 %arg.missing_0, ptr readonly captures(none) %arg.starts, i64 %arg.starts_0, i64 %arg.wanted, ptr writeonly captures(none) %arg.found, i64 %arg.found_0) local_unnamed_addr #0 {
B0.endif.endif.endif.endif.endif:
  %.108.not.i = icmp eq i64 %arg.found_0, 0
  br i1 %.108.not.i, label %extremes_of.exit, label %B162.preheader.i

B162.preheader.i:                                 ; preds = %B0.endif.endif.endif.endif.endif
  %0 = icmp eq i64 %arg.missing_0, 0
  %1 = icmp ne i64 %arg.wanted, 0
  br label %B162.i

B162.i:                                           ; preds = %B744.i, %B162.preheader.i
  %zone.2.0.i = phi i64 [ %.142.i, %B744.i ], [ 0, %B162.preheader.i ]
  %.139.i = getelementptr i64, ptr %arg.starts, i64 %zone.2.0.i
  %.140.i = load i64, ptr %.139.i, align 8
  %.142.i = add nuw i64 %zone.2.0.i, 1
  %.168.i = getelementptr i64, ptr %arg.starts, i64 %.142.i
  %.169.i = load i64, ptr %.168.i, align 8
  %.225.i = icmp ult i64 %.140.i, %.169.i
  br i1 %.225.i, label %B340.i, label %B744.i

B340.i:                                           ; preds = %B162.i, %B712.i
  %row.2.1.i = phi i64 [ %.589.i, %B712.i ], [ %.140.i, %B162.i ]
  %best.4.1.i = phi i64 [ %best.3.4.i, %B712.i ], [ %.140.i, %B162.i ]
  %best_at.2.1.i = phi i64 [ %best_at.3.4.i, %B712.i ], [ 0, %B162.i ]
  %best_length.2.1.i = phi i64 [ %best_length.3.4.i, %B712.i ], [ 0, %B162.i ]
  %best_head.2.1.i = phi i64 [ %best_head.3.4.i, %B712.i ], [ 0, %B162.i ]
  %known.2.1.i = phi i64 [ %known.3.4.i, %B712.i ], [ 0, %B162.i ]
  %arg.other_length.fr.i.i = freeze i64 %best_length.2.1.i
  br i1 %0, label %B404.i, label %B344.i

B344.i:                                           ; preds = %B340.i
  %.280.i = getelementptr i8, ptr %arg.missing, i64 %row.2.1.i
  %.281.i = load i8, ptr %.280.i, align 1
  %.283.i = icmp eq i8 %.281.i, 0
  br i1 %.283.i, label %B404.i, label %B712.i

B404.i:                                           ; preds = %B344.i, %B340.i
  %sunkaddr4.i = shl i64 %row.2.1.i, 2
  %sunkaddr5.i = getelementptr i8, ptr %arg.offsets, i64 %sunkaddr4.i
  %.322.i = load i32, ptr %sunkaddr5.i, align 4
  %.323.i = zext i32 %.322.i to i64
  %sunkaddr8.i = getelementptr i8, ptr %sunkaddr5.i, i64 4
  %.355.i = load i32, ptr %sunkaddr8.i, align 4
  %.356.i = zext i32 %.355.i to i64
  %.358.i = sub nsw i64 %.356.i, %.323.i
  %.25.i.i = icmp eq i64 %.358.i, 0
  br i1 %.25.i.i, label %B404.endif.i, label %B40.endif.i.i

B448.i.i:                                         ; preds = %B40.endif.i.i
  %.155.i.i = sub nuw nsw i64 %.76.i.i, %.71.i.i
  %.167.i.i = icmp samesign ugt i64 %.155.i.i, %.323.i
  br i1 %.167.i.i, label %B500.i.i, label %B596.i.i

B500.i.i:                                         ; preds = %B448.i.i
  %.199.i.i = getelementptr i8, ptr %arg.data, i64 %.323.i
  %.200.i.i = load i8, ptr %.199.i.i, align 1
  %.201.i.i = zext i8 %.200.i.i to i64
  %.208.i.i = add nuw nsw i64 %.323.i, 1
  %exitcond.not.i.i = icmp eq i64 %.208.i.i, %.155.i.i
  br i1 %exitcond.not.i.i, label %B596.i.i, label %B500.1.i.i

B500.1.i.i:                                       ; preds = %B500.i.i
  %.172.1.i.i = shl nuw nsw i64 %.201.i.i, 8
  %sunkaddr9.i = getelementptr i8, ptr %.199.i.i, i64 1
  %.200.1.i.i = load i8, ptr %sunkaddr9.i, align 1
  %.201.1.i.i = zext i8 %.200.1.i.i to i64
  %.202.1.i.i = or disjoint i64 %.172.1.i.i, %.201.1.i.i
  %.208.1.i.i = add nuw nsw i64 %.323.i, 2
  %exitcond.not.1.i.i = icmp eq i64 %.208.1.i.i, %.155.i.i
  br i1 %exitcond.not.1.i.i, label %B596.i.i, label %B500.2.i.i

B500.2.i.i:                                       ; preds = %B500.1.i.i
  %.172.2.i.i = shl nuw nsw i64 %.202.1.i.i, 8
  %sunkaddr11.i = getelementptr i8, ptr %.199.i.i, i64 2
  %.200.2.i.i = load i8, ptr %sunkaddr11.i, align 1
  %.201.2.i.i = zext i8 %.200.2.i.i to i64
  %.202.2.i.i = or disjoint i64 %.172.2.i.i, %.201.2.i.i
  %.208.2.i.i = add nuw nsw i64 %.323.i, 3
  %exitcond.not.2.i.i = icmp eq i64 %.208.2.i.i, %.155.i.i
  br i1 %exitcond.not.2.i.i, label %B596.i.i, label %B500.3.i.i

B500.3.i.i:                                       ; preds = %B500.2.i.i
  %.172.3.i.i = shl nuw nsw i64 %.202.2.i.i, 8
  %sunkaddr13.i = getelementptr i8, ptr %.199.i.i, i64 3
  %.200.3.i.i = load i8, ptr %sunkaddr13.i, align 1
  %.201.3.i.i = zext i8 %.200.3.i.i to i64
  %.202.3.i.i = or disjoint i64 %.172.3.i.i, %.201.3.i.i
  %.208.3.i.i = add nuw nsw i64 %.323.i, 4
  %exitcond.not.3.i.i = icmp eq i64 %.208.3.i.i, %.155.i.i
  br i1 %exitcond.not.3.i.i, label %B596.i.i, label %B500.4.i.i

B500.4.i.i:                                       ; preds = %B500.3.i.i
  %.172.4.i.i = shl nuw nsw i64 %.202.3.i.i, 8
  %sunkaddr15.i = getelementptr i8, ptr %.199.i.i, i64 4
  %.200.4.i.i = load i8, ptr %sunkaddr15.i, align 1
  %.201.4.i.i = zext i8 %.200.4.i.i to i64
  %.202.4.i.i = or disjoint i64 %.172.4.i.i, %.201.4.i.i
  %.208.4.i.i = add nuw nsw i64 %.323.i, 5
  %exitcond.not.4.i.i = icmp eq i64 %.208.4.i.i, %.155.i.i
  br i1 %exitcond.not.4.i.i, label %B596.i.i, label %B500.5.i.i

B500.5.i.i:                                       ; preds = %B500.4.i.i
  %.172.5.i.i = shl nuw nsw i64 %.202.4.i.i, 8
  %sunkaddr17.i = getelementptr i8, ptr %.199.i.i, i64 5
  %.200.5.i.i = load i8, ptr %sunkaddr17.i, align 1
  %.201.5.i.i = zext i8 %.200.5.i.i to i64
  %.202.5.i.i = or disjoint i64 %.172.5.i.i, %.201.5.i.i
  %.208.5.i.i = add nuw nsw i64 %.323.i, 6
  %exitcond.not.5.i.i = icmp eq i64 %.208.5.i.i, %.155.i.i
  br i1 %exitcond.not.5.i.i, label %B596.i.i, label %B500.6.i.i

B500.6.i.i:                                       ; preds = %B500.5.i.i
  %.172.6.i.i = shl nuw nsw i64 %.202.5.i.i, 8
  %sunkaddr19.i = getelementptr i8, ptr %.199.i.i, i64 6
  %.200.6.i.i = load i8, ptr %sunkaddr19.i, align 1
  %.201.6.i.i = zext i8 %.200.6.i.i to i64
  %.202.6.i.i = or disjoint i64 %.172.6.i.i, %.201.6.i.i
  %.208.6.i.i = add nuw nsw i64 %.323.i, 7
  %exitcond.not.6.i.i = icmp eq i64 %.208.6.i.i, %.155.i.i
  br i1 %exitcond.not.6.i.i, label %B596.i.i, label %B500.7.i.i

B500.7.i.i:                                       ; preds = %B500.6.i.i
  %.172.7.i.i = shl nuw i64 %.202.6.i.i, 8
  %.199.7.i.i = getelementptr i8, ptr %arg.data, i64 %.208.6.i.i
  %.200.7.i.i = load i8, ptr %.199.7.i.i, align 1
  %.201.7.i.i = zext i8 %.200.7.i.i to i64
  %.202.7.i.i = or disjoint i64 %.172.7.i.i, %.201.7.i.i
  br label %B596.i.i

B596.i.i:                                         ; preds = %B500.7.i.i, %B500.6.i.i, %B500.5.i.i, %B500.4.i.i, %B500.3.i.i, %B500.2.i.i, %B500.1.i.i, %B500.i.i, %B448.i.i
  %word.7.1.i.i = phi i64 [ 0, %B448.i.i ], [ %.201.i.i, %B500.i.i ], [ %.202.1.i.i, %B500.1.i.i ], [ %.202.2.i.i, %B500.2.i.i ], [ %.202.3.i.i, %B500.3.i.i ], [ %.202.4.i.i, %B500.4.i.i ], [ %.202.5.i.i, %B500.5.i.i ], [ %.202.6.i.i, %B500.6.i.i ], [ %.202.7.i.i, %B500.7.i.i ]
  %.226.i.i = shl nuw nsw i64 %.71.i.i, 3
  %.230.i.i = shl i64 %word.7.1.i.i, %.226.i.i
  br label %B404.endif.i

B40.endif.i.i:                                    ; preds = %B404.i
  %.71.i.i = tail call i64 @llvm.usub.sat.i64(i64 8, i64 %.358.i)
  %.76.i.i = add nuw nsw i64 %.323.i, 8
  %.87.not.i.i = icmp ugt i64 %.76.i.i, %arg.data_0
  br i1 %.87.not.i.i, label %B448.i.i, label %B178.endif.i.i

B178.endif.i.i:                                   ; preds = %B40.endif.i.i
  %.41.i.i.i = getelementptr i8, ptr %arg.data, i64 %.323.i
  %.42.i.i.i = load i64, ptr %.41.i.i.i, align 1
  %.137.i.i = tail call i64 @llvm.bswap.i64(i64 %.42.i.i.i)
  %.139.i.i = shl nuw nsw i64 %.71.i.i, 3
  %2 = shl nsw i64 -1, %.139.i.i
  %.145.i.i = and i64 %.137.i.i, %2
  br label %B404.endif.i

B578.i:                                           ; preds = %B404.endif.i
  %.416.i = icmp ult i64 %.145.sink.i.i, %best_head.2.1.i
  %.419.i = xor i1 %1, %.416.i
  %or.cond.i = select i1 %15, i1 true, i1 %.419.i
  br i1 %or.cond.i, label %B676.i, label %B712.i

B622.i:                                           ; preds = %B404.endif.i
  br i1 %15, label %B676.i, label %B626.i

B626.i:                                           ; preds = %B622.i
  %.35.i.i = icmp ugt i64 %.358.i, 8
  %.43.i.i = icmp ugt i64 %arg.other_length.fr.i.i, 8
  %or.cond.i.i = and i1 %.43.i.i, %.35.i.i
  br i1 %or.cond.i.i, label %B42.preheader.i.i, label %B230.i.i

B42.preheader.i.i:                                ; preds = %B626.i
  %invariant.umin.i.i = tail call i64 @llvm.umin.i64(i64 range(i64 -4294967295, 4294967296) %.358.i, i64 %arg.other_length.fr.i.i)
  %3 = getelementptr i8, ptr %arg.data, i64 %best_at.2.1.i
  %4 = getelementptr i8, ptr %arg.data, i64 %.323.i
  br label %B40.endif.i.i.i

B448.i.i.i:                                       ; preds = %B40.endif.i.i.i
  %umin56.i.i = tail call i64 @llvm.umin.i64(i64 %lsr.iv.i.i, i64 8)
  %5 = add i64 %umin56.i.i, %8
  %.167.i.i.i = icmp ult i64 %8, %5
  br i1 %.167.i.i.i, label %B500.i.i.i, label %B596.i.i.i

B500.i.i.i:                                       ; preds = %B448.i.i.i
  %scevgep55.i.i = getelementptr i8, ptr %4, i64 %lsr.iv5.i.i
  %.200.i.i.i = load i8, ptr %scevgep55.i.i, align 1
  %.201.i.i.i = zext i8 %.200.i.i.i to i64
  %exitcond.not.i.i.i = icmp eq i64 %7, -1
  br i1 %exitcond.not.i.i.i, label %B596.i.i.i, label %B500.1.i.i.i

B500.1.i.i.i:                                     ; preds = %B500.i.i.i
  %.172.1.i.i.i = shl nuw nsw i64 %.201.i.i.i, 8
  %scevgep54.i.i = getelementptr i8, ptr %scevgep55.i.i, i64 1
  %.200.1.i.i.i = load i8, ptr %scevgep54.i.i, align 1
  %.201.1.i.i.i = zext i8 %.200.1.i.i.i to i64
  %.202.1.i.i.i = or disjoint i64 %.172.1.i.i.i, %.201.1.i.i.i
  %exitcond.not.1.i.i.i = icmp eq i64 %7, -2
  br i1 %exitcond.not.1.i.i.i, label %B596.i.i.i, label %B500.2.i.i.i

B500.2.i.i.i:                                     ; preds = %B500.1.i.i.i
  %.172.2.i.i.i = shl nuw nsw i64 %.202.1.i.i.i, 8
  %scevgep52.i.i = getelementptr i8, ptr %scevgep55.i.i, i64 2
  %.200.2.i.i.i = load i8, ptr %scevgep52.i.i, align 1
  %.201.2.i.i.i = zext i8 %.200.2.i.i.i to i64
  %.202.2.i.i.i = or disjoint i64 %.172.2.i.i.i, %.201.2.i.i.i
  %exitcond.not.2.i.i.i = icmp eq i64 %7, -3
  br i1 %exitcond.not.2.i.i.i, label %B596.i.i.i, label %B500.3.i.i.i

B500.3.i.i.i:                                     ; preds = %B500.2.i.i.i
  %.172.3.i.i.i = shl nuw nsw i64 %.202.2.i.i.i, 8
  %scevgep50.i.i = getelementptr i8, ptr %scevgep55.i.i, i64 3
  %.200.3.i.i.i = load i8, ptr %scevgep50.i.i, align 1
  %.201.3.i.i.i = zext i8 %.200.3.i.i.i to i64
  %.202.3.i.i.i = or disjoint i64 %.172.3.i.i.i, %.201.3.i.i.i
  %exitcond.not.3.i.i.i = icmp eq i64 %7, -4
  br i1 %exitcond.not.3.i.i.i, label %B596.i.i.i, label %B500.4.i.i.i

B500.4.i.i.i:                                     ; preds = %B500.3.i.i.i
  %.172.4.i.i.i = shl nuw nsw i64 %.202.3.i.i.i, 8
  %scevgep48.i.i = getelementptr i8, ptr %scevgep55.i.i, i64 4
  %.200.4.i.i.i = load i8, ptr %scevgep48.i.i, align 1
  %.201.4.i.i.i = zext i8 %.200.4.i.i.i to i64
  %.202.4.i.i.i = or disjoint i64 %.172.4.i.i.i, %.201.4.i.i.i
  %exitcond.not.4.i.i.i = icmp eq i64 %7, -5
  br i1 %exitcond.not.4.i.i.i, label %B596.i.i.i, label %B500.5.i.i.i

B500.5.i.i.i:                                     ; preds = %B500.4.i.i.i
  %.172.5.i.i.i = shl nuw nsw i64 %.202.4.i.i.i, 8
  %scevgep46.i.i = getelementptr i8, ptr %scevgep55.i.i, i64 5
  %.200.5.i.i.i = load i8, ptr %scevgep46.i.i, align 1
  %.201.5.i.i.i = zext i8 %.200.5.i.i.i to i64
  %.202.5.i.i.i = or disjoint i64 %.172.5.i.i.i, %.201.5.i.i.i
  %exitcond.not.5.i.i.i = icmp eq i64 %7, -6
  br i1 %exitcond.not.5.i.i.i, label %B596.i.i.i, label %B500.6.i.i.i

B500.6.i.i.i:                                     ; preds = %B500.5.i.i.i
  %.172.6.i.i.i = shl nuw nsw i64 %.202.5.i.i.i, 8
  %scevgep44.i.i = getelementptr i8, ptr %scevgep55.i.i, i64 6
  %.200.6.i.i.i = load i8, ptr %scevgep44.i.i, align 1
  %.201.6.i.i.i = zext i8 %.200.6.i.i.i to i64
  %.202.6.i.i.i = or disjoint i64 %.172.6.i.i.i, %.201.6.i.i.i
  %exitcond.not.6.i.i.i = icmp eq i64 %7, -7
  br i1 %exitcond.not.6.i.i.i, label %B596.i.i.i, label %B500.7.i.i.i

B500.7.i.i.i:                                     ; preds = %B500.6.i.i.i
  %.172.7.i.i.i = shl nuw i64 %.202.6.i.i.i, 8
  %scevgep42.i.i = getelementptr i8, ptr %scevgep55.i.i, i64 7
  %.200.7.i.i.i = load i8, ptr %scevgep42.i.i, align 1
  %.201.7.i.i.i = zext i8 %.200.7.i.i.i to i64
  %.202.7.i.i.i = or disjoint i64 %.172.7.i.i.i, %.201.7.i.i.i
  br label %B596.i.i.i

B596.i.i.i:                                       ; preds = %B500.7.i.i.i, %B500.6.i.i.i, %B500.5.i.i.i, %B500.4.i.i.i, %B500.3.i.i.i, %B500.2.i.i.i, %B500.1.i.i.i, %B500.i.i.i, %B448.i.i.i
  %word.7.1.i.i.i = phi i64 [ 0, %B448.i.i.i ], [ %.201.i.i.i, %B500.i.i.i ], [ %.202.1.i.i.i, %B500.1.i.i.i ], [ %.202.2.i.i.i, %B500.2.i.i.i ], [ %.202.3.i.i.i, %B500.3.i.i.i ], [ %.202.4.i.i.i, %B500.4.i.i.i ], [ %.202.5.i.i.i, %B500.5.i.i.i ], [ %.202.6.i.i.i, %B500.6.i.i.i ], [ %.202.7.i.i.i, %B500.7.i.i.i ]
  %.226.i.i.i = shl nuw nsw i64 %.71.i.i.i, 3
  %.230.i.i.i = shl i64 %word.7.1.i.i.i, %.226.i.i.i
  br label %B40.endif.i9.i.i

B40.endif.i.i.i:                                  ; preds = %B186.i.i, %B42.preheader.i.i
  %lsr.iv5.i.i = phi i64 [ %lsr.iv.next6.i.i, %B186.i.i ], [ 8, %B42.preheader.i.i ]
  %lsr.iv3.in.i.i = phi i64 [ %lsr.iv3.i.i, %B186.i.i ], [ %arg.other_length.fr.i.i, %B42.preheader.i.i ]
  %lsr.iv.in.i.i = phi i64 [ %lsr.iv.i.i, %B186.i.i ], [ %.358.i, %B42.preheader.i.i ]
  %lsr.iv.i.i = add i64 %lsr.iv.in.i.i, -8
  %lsr.iv3.i.i = add i64 %lsr.iv3.in.i.i, -8
  %6 = sub i64 %lsr.iv5.i.i, %arg.other_length.fr.i.i
  %7 = sub i64 %lsr.iv5.i.i, %.358.i
  %umin.i.i = tail call i64 @llvm.umin.i64(i64 %lsr.iv3.i.i, i64 8)
  %.71.i.i.i = tail call i64 @llvm.usub.sat.i64(i64 8, i64 %lsr.iv.i.i)
  %8 = add i64 %lsr.iv5.i.i, %.323.i
  %9 = add i64 %8, 8
  %.87.not.i.i.i = icmp ugt i64 %9, %arg.data_0
  br i1 %.87.not.i.i.i, label %B448.i.i.i, label %B178.endif.i.i.i

B178.endif.i.i.i:                                 ; preds = %B40.endif.i.i.i
  %scevgep38.i.i = getelementptr i8, ptr %4, i64 %lsr.iv5.i.i
  %.42.i.i.i.i = load i64, ptr %scevgep38.i.i, align 1
  %.137.i.i.i = tail call i64 @llvm.bswap.i64(i64 %.42.i.i.i.i)
  %.139.i.i.i = shl nuw nsw i64 %.71.i.i.i, 3
  %10 = shl nsw i64 -1, %.139.i.i.i
  %.145.i.i.i = and i64 %.137.i.i.i, %10
  br label %B40.endif.i9.i.i

B160.i.i:                                         ; preds = %B42.endif.endif.i.i
  %.153.i.i = icmp ugt i64 %.145.sink.i.i.i, %.145.sink.i19.i.i
  br i1 %.153.i.i, label %order.exit.i, label %B186.i.i

B186.i.i:                                         ; preds = %B160.i.i
  %lsr.iv.next6.i.i = add i64 %lsr.iv5.i.i, 8
  %or.cond92.i.i = icmp ult i64 %lsr.iv.next6.i.i, %invariant.umin.i.i
  br i1 %or.cond92.i.i, label %B40.endif.i.i.i, label %B230.i.i

B230.i.i:                                         ; preds = %B186.i.i, %B626.i
  %.218.i.i = icmp ult i64 %.358.i, %arg.other_length.fr.i.i
  br i1 %.218.i.i, label %order.exit.i, label %B256.i.i

B256.i.i:                                         ; preds = %B230.i.i
  %.228.i.i = icmp ugt i64 %.358.i, %arg.other_length.fr.i.i
  %spec.select.i.i = select i1 %.228.i.i, i64 2, i64 1
  br label %order.exit.i

B448.i20.i.i:                                     ; preds = %B40.endif.i9.i.i
  %11 = add i64 %umin.i.i, %12
  %.167.i22.i.i = icmp ult i64 %12, %11
  br i1 %.167.i22.i.i, label %B500.i27.i.i, label %B596.i23.i.i

B500.i27.i.i:                                     ; preds = %B448.i20.i.i
  %scevgep36.i.i = getelementptr i8, ptr %3, i64 %lsr.iv5.i.i
  %.200.i29.i.i = load i8, ptr %scevgep36.i.i, align 1
  %.201.i30.i.i = zext i8 %.200.i29.i.i to i64
  %exitcond.not.i32.i.i = icmp eq i64 %6, -1
  br i1 %exitcond.not.i32.i.i, label %B596.i23.i.i, label %B500.1.i33.i.i

B500.1.i33.i.i:                                   ; preds = %B500.i27.i.i
  %.172.1.i34.i.i = shl nuw nsw i64 %.201.i30.i.i, 8
  %scevgep34.i.i = getelementptr i8, ptr %scevgep36.i.i, i64 1
  %.200.1.i36.i.i = load i8, ptr %scevgep34.i.i, align 1
  %.201.1.i37.i.i = zext i8 %.200.1.i36.i.i to i64
  %.202.1.i38.i.i = or disjoint i64 %.172.1.i34.i.i, %.201.1.i37.i.i
  %exitcond.not.1.i40.i.i = icmp eq i64 %6, -2
  br i1 %exitcond.not.1.i40.i.i, label %B596.i23.i.i, label %B500.2.i41.i.i

B500.2.i41.i.i:                                   ; preds = %B500.1.i33.i.i
  %.172.2.i42.i.i = shl nuw nsw i64 %.202.1.i38.i.i, 8
  %scevgep30.i.i = getelementptr i8, ptr %scevgep36.i.i, i64 2
  %.200.2.i44.i.i = load i8, ptr %scevgep30.i.i, align 1
  %.201.2.i45.i.i = zext i8 %.200.2.i44.i.i to i64
  %.202.2.i46.i.i = or disjoint i64 %.172.2.i42.i.i, %.201.2.i45.i.i
  %exitcond.not.2.i48.i.i = icmp eq i64 %6, -3
  br i1 %exitcond.not.2.i48.i.i, label %B596.i23.i.i, label %B500.3.i49.i.i

B500.3.i49.i.i:                                   ; preds = %B500.2.i41.i.i
  %.172.3.i50.i.i = shl nuw nsw i64 %.202.2.i46.i.i, 8
  %scevgep26.i.i = getelementptr i8, ptr %scevgep36.i.i, i64 3
  %.200.3.i52.i.i = load i8, ptr %scevgep26.i.i, align 1
  %.201.3.i53.i.i = zext i8 %.200.3.i52.i.i to i64
  %.202.3.i54.i.i = or disjoint i64 %.172.3.i50.i.i, %.201.3.i53.i.i
  %exitcond.not.3.i56.i.i = icmp eq i64 %6, -4
  br i1 %exitcond.not.3.i56.i.i, label %B596.i23.i.i, label %B500.4.i57.i.i

B500.4.i57.i.i:                                   ; preds = %B500.3.i49.i.i
  %.172.4.i58.i.i = shl nuw nsw i64 %.202.3.i54.i.i, 8
  %scevgep22.i.i = getelementptr i8, ptr %scevgep36.i.i, i64 4
  %.200.4.i60.i.i = load i8, ptr %scevgep22.i.i, align 1
  %.201.4.i61.i.i = zext i8 %.200.4.i60.i.i to i64
  %.202.4.i62.i.i = or disjoint i64 %.172.4.i58.i.i, %.201.4.i61.i.i
  %exitcond.not.4.i64.i.i = icmp eq i64 %6, -5
  br i1 %exitcond.not.4.i64.i.i, label %B596.i23.i.i, label %B500.5.i65.i.i

B500.5.i65.i.i:                                   ; preds = %B500.4.i57.i.i
  %.172.5.i66.i.i = shl nuw nsw i64 %.202.4.i62.i.i, 8
  %scevgep18.i.i = getelementptr i8, ptr %scevgep36.i.i, i64 5
  %.200.5.i68.i.i = load i8, ptr %scevgep18.i.i, align 1
  %.201.5.i69.i.i = zext i8 %.200.5.i68.i.i to i64
  %.202.5.i70.i.i = or disjoint i64 %.172.5.i66.i.i, %.201.5.i69.i.i
  %exitcond.not.5.i72.i.i = icmp eq i64 %6, -6
  br i1 %exitcond.not.5.i72.i.i, label %B596.i23.i.i, label %B500.6.i73.i.i

B500.6.i73.i.i:                                   ; preds = %B500.5.i65.i.i
  %.172.6.i74.i.i = shl nuw nsw i64 %.202.5.i70.i.i, 8
  %scevgep14.i.i = getelementptr i8, ptr %scevgep36.i.i, i64 6
  %.200.6.i76.i.i = load i8, ptr %scevgep14.i.i, align 1
  %.201.6.i77.i.i = zext i8 %.200.6.i76.i.i to i64
  %.202.6.i78.i.i = or disjoint i64 %.172.6.i74.i.i, %.201.6.i77.i.i
  %exitcond.not.6.i80.i.i = icmp eq i64 %6, -7
  br i1 %exitcond.not.6.i80.i.i, label %B596.i23.i.i, label %B500.7.i81.i.i

B500.7.i81.i.i:                                   ; preds = %B500.6.i73.i.i
  %.172.7.i82.i.i = shl nuw i64 %.202.6.i78.i.i, 8
  %scevgep10.i.i = getelementptr i8, ptr %scevgep36.i.i, i64 7
  %.200.7.i84.i.i = load i8, ptr %scevgep10.i.i, align 1
  %.201.7.i85.i.i = zext i8 %.200.7.i84.i.i to i64
  %.202.7.i86.i.i = or disjoint i64 %.172.7.i82.i.i, %.201.7.i85.i.i
  br label %B596.i23.i.i

B596.i23.i.i:                                     ; preds = %B500.7.i81.i.i, %B500.6.i73.i.i, %B500.5.i65.i.i, %B500.4.i57.i.i, %B500.3.i49.i.i, %B500.2.i41.i.i, %B500.1.i33.i.i, %B500.i27.i.i, %B448.i20.i.i
  %word.7.1.i24.i.i = phi i64 [ 0, %B448.i20.i.i ], [ %.201.i30.i.i, %B500.i27.i.i ], [ %.202.1.i38.i.i, %B500.1.i33.i.i ], [ %.202.2.i46.i.i, %B500.2.i41.i.i ], [ %.202.3.i54.i.i, %B500.3.i49.i.i ], [ %.202.4.i62.i.i, %B500.4.i57.i.i ], [ %.202.5.i70.i.i, %B500.5.i65.i.i ], [ %.202.6.i78.i.i, %B500.6.i73.i.i ], [ %.202.7.i86.i.i, %B500.7.i81.i.i ]
  %.226.i25.i.i = shl nuw nsw i64 %.71.i10.i.i, 3
  %.230.i26.i.i = shl i64 %word.7.1.i24.i.i, %.226.i25.i.i
  br label %B42.endif.endif.i.i

B40.endif.i9.i.i:                                 ; preds = %B178.endif.i.i.i, %B596.i.i.i
  %.145.sink.i.i.i = phi i64 [ %.145.i.i.i, %B178.endif.i.i.i ], [ %.230.i.i.i, %B596.i.i.i ]
  %.71.i10.i.i = tail call i64 @llvm.usub.sat.i64(i64 8, i64 %lsr.iv3.i.i)
  %12 = add i64 %lsr.iv5.i.i, %best_at.2.1.i
  %13 = add i64 %12, 8
  %.87.not.i12.i.i = icmp ugt i64 %13, %arg.data_0
  br i1 %.87.not.i12.i.i, label %B448.i20.i.i, label %B178.endif.i13.i.i

B178.endif.i13.i.i:                               ; preds = %B40.endif.i9.i.i
  %scevgep.i.i = getelementptr i8, ptr %3, i64 %lsr.iv5.i.i
  %.42.i.i15.i.i = load i64, ptr %scevgep.i.i, align 1
  %.137.i16.i.i = tail call i64 @llvm.bswap.i64(i64 %.42.i.i15.i.i)
  %.139.i17.i.i = shl nuw nsw i64 %.71.i10.i.i, 3
  %14 = shl nsw i64 -1, %.139.i17.i.i
  %.145.i18.i.i = and i64 %.137.i16.i.i, %14
  br label %B42.endif.endif.i.i

B42.endif.endif.i.i:                              ; preds = %B178.endif.i13.i.i, %B596.i23.i.i
  %.145.sink.i19.i.i = phi i64 [ %.145.i18.i.i, %B178.endif.i13.i.i ], [ %.230.i26.i.i, %B596.i23.i.i ]
  %.128.i.i = icmp ult i64 %.145.sink.i.i.i, %.145.sink.i19.i.i
  br i1 %.128.i.i, label %order.exit.i, label %B160.i.i

order.exit.i: ; preds = %B42.endif.endif.i.i, %B160.i.i, %B256.i.i, %B230.i.i
  %spec.select.sink.i.i = phi i64 [ %spec.select.i.i, %B256.i.i ], [ 0, %B230.i.i ], [ 2, %B160.i.i ], [ 0, %B42.endif.endif.i.i ]
  %.470.i = icmp eq i64 %spec.select.sink.i.i, %arg.wanted
  br i1 %.470.i, label %B676.i, label %B712.i

B676.i:                                           ; preds = %order.exit.i, %B622.i, %B578.i
  br label %B712.i

B712.i:                                           ; preds = %B676.i, %order.exit.i, %B578.i, %B344.i
  %best.3.4.i = phi i64 [ %row.2.1.i, %B676.i ], [ %best.4.1.i, %B578.i ], [ %best.4.1.i, %B344.i ], [ %best.4.1.i, %order.exit.i ]
  %best_at.3.4.i = phi i64 [ %.323.i, %B676.i ], [ %best_at.2.1.i, %B578.i ], [ %best_at.2.1.i, %B344.i ], [ %best_at.2.1.i, %order.exit.i ]
  %best_length.3.4.i = phi i64 [ %.358.i, %B676.i ], [ %arg.other_length.fr.i.i, %B578.i ], [ %arg.other_length.fr.i.i, %B344.i ], [ %arg.other_length.fr.i.i, %order.exit.i ]
  %best_head.3.4.i = phi i64 [ %.145.sink.i.i, %B676.i ], [ %best_head.2.1.i, %B578.i ], [ %best_head.2.1.i, %B344.i ], [ %best_head.2.1.i, %order.exit.i ]
  %known.3.4.i = phi i64 [ 1, %B676.i ], [ 1, %B578.i ], [ %known.2.1.i, %B344.i ], [ 1, %order.exit.i ]
  %.589.i = add i64 %row.2.1.i, 1
  %exitcond.not.i = icmp eq i64 %.169.i, %.589.i
  br i1 %exitcond.not.i, label %B744.i, label %B340.i

B744.i:                                           ; preds = %B712.i, %B162.i
  %best.2.2.i = phi i64 [ %.140.i, %B162.i ], [ %best.3.4.i, %B712.i ]
  %.641.i = getelementptr i64, ptr %arg.found, i64 %zone.2.0.i
  store i64 %best.2.2.i, ptr %.641.i, align 8
  %exitcond248.not.i = icmp eq i64 %.142.i, %arg.found_0
  br i1 %exitcond248.not.i, label %extremes_of.exit, label %B162.i

B404.endif.i:                                     ; preds = %B178.endif.i.i, %B596.i.i, %B404.i
  %.145.sink.i.i = phi i64 [ %.145.i.i, %B178.endif.i.i ], [ %.230.i.i, %B596.i.i ], [ 0, %B404.i ]
  %.404.not.i = icmp eq i64 %.145.sink.i.i, %best_head.2.1.i
  %15 = icmp eq i64 %known.2.1.i, 0
  br i1 %.404.not.i, label %B622.i, label %B578.i

extremes_of.exit: ; preds = %B744.i, %B0.endif.endif.endif.endif.endif
  store i64 0, ptr %retptr, align 8
  ret i32 0
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.usub.sat.i64(i64, i64) #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.bswap.i64(i64) #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.umin.i64(i64, i64) #1

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #1 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

