"""Scan planning: from a snapshot and a predicate to the files that a query must read.

**The scan index** (``scan_index``, one ``spec_index`` for each partition spec) holds what planning needs of a snapshot:
its manifests in list order, where the entries of each begin, the partition summaries of its manifest list, and the
zones of their segments. It is computed from immutable manifests and segments, and cached.

**A predicate goes through three levels.** ``selection`` evaluates one bound predicate on

1. the partition summaries of manifests: a manifest that cannot match is not opened;
2. zones, which hold the statistics of some thousand neighbouring entries: a zone that cannot match is not read;
3. the entries of the zones that are left: their partitions and column statistics.

Each level drops only what provably holds no matching row; a missing or NaN bound drops nothing. ``packs`` hold the
statistics of many small manifests in one array, so that the third level is a few array operations however many
manifests there are.

**Formats** implement two ports, each with a registry that the catalog fills. ``scan_rules`` determine which manifests
and entries a scan reads, and which statistics may drop one alone. ``plan_rules`` determine which files are read or
dropped only together, and which fields a plan adds to entries. ``planner.iceberg`` and ``planner.paimon`` implement
them.

**A plan** (``plan``) yields the files that are left in batches from any position on, so that pages and plan tasks need
no state.
``planned_rows`` lists its files, ``planned_entries`` and ``gathered_entries`` take the entries' columns from segments;
``delete_matching`` adds delete files, and ``planner.pruning.residual`` computes what partitions do not decide.
``totals`` counts a plan without listing it, ``tasks`` divides it.

**Other modules** use the same index: ``applied`` reports which conjuncts prune and why others do not; ``explain`` and
``reasons`` count what each level dropped, and why, with the bound that decided; ``filtered_files`` lists the
files that a filter keeps; ``paths`` finds a file by its location; ``branches`` adds the ``partitions`` of a second
branch. ``runs`` are ranges of entries.

Source: Iceberg spec, "Scan Planning"; Paimon's ``FileStoreScan`` and ``SnapshotReader``.
"""
