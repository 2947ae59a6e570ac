import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import org.apache.paimon.CoreOptions.MergeEngine;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.manifest.FileSource;
import org.apache.paimon.mergetree.SortedRun;
import org.apache.paimon.mergetree.compact.IntervalPartition;
import org.apache.paimon.stats.SimpleStats;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.source.AppendOnlySplitGenerator;
import org.apache.paimon.table.source.DataEvolutionSplitGenerator;
import org.apache.paimon.table.source.MergeTreeSplitGenerator;
import org.apache.paimon.table.source.SplitGenerator;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.KeyComparatorSupplier;

/** How the files of one bucket are put together, by their numbers. */
final class Packing {
    private Packing() {}

    /**
     * The splits of "files" as a table of "kind" has them: "append", "evolution" or "merge"; of the last one the
     * sections too.
     */
    static Object of(Session.Question asked) {
        RowType keys = RowType.of(asked.<String>list("types").stream().map(Values::type).toArray(DataType[]::new));
        List<DataFileMeta> files = new ArrayList<>();
        for (Map<String, Object> file : asked.<Map<String, Object>>list("files")) {
            files.add(file(file, keys, String.valueOf(files.size())));
        }
        long target = Long.parseLong(asked.text("target"));
        long cost = Long.parseLong(asked.text("cost"));
        if (asked.text("kind").equals("append")) {
            return Map.of("splits", splits(new AppendOnlySplitGenerator(target, cost, BucketMode.HASH_FIXED), files));
        } else if (asked.text("kind").equals("evolution")) {
            boolean count = asked.is("count_blob_size");
            return Map.of("splits", splits(new DataEvolutionSplitGenerator(target, cost, count), files));
        }
        Comparator<InternalRow> order = new KeyComparatorSupplier(keys).get();
        MergeEngine engine = asked.is("first_row") ? MergeEngine.FIRST_ROW : MergeEngine.DEDUPLICATE;
        boolean vectors = asked.is("deletion_vectors");
        List<List<Integer>> sections = new ArrayList<>();
        for (List<SortedRun> section : new IntervalPartition(files, order).partition()) {
            List<DataFileMeta> members = new ArrayList<>();
            section.forEach(run -> members.addAll(run.files()));
            sections.add(numbers(members));
        }
        SplitGenerator generator = new MergeTreeSplitGenerator(order, target, cost, vectors, engine);
        return Map.of("splits", splits(generator, files), "sections", sections);
    }

    private static List<Object> splits(SplitGenerator generator, List<DataFileMeta> files) {
        List<Object> splits = new ArrayList<>();
        for (SplitGenerator.SplitGroup split : generator.splitForBatch(files)) {
            splits.add(Map.of("raw", split.rawConvertible, "files", numbers(split.files)));
        }
        return splits;
    }

    private static List<Integer> numbers(List<DataFileMeta> files) {
        List<Integer> numbers = new ArrayList<>();
        files.forEach(file -> numbers.add(Integer.valueOf(file.fileName().split("\\.")[0])));
        return numbers;
    }

    private static DataFileMeta file(Map<String, Object> file, RowType keys, String name) {
        return DataFileMeta.create(
                Boolean.TRUE.equals(file.get("blob")) ? name + ".blob" : name + ".parquet",
                number(file, "size"),
                number(file, "rows"),
                key(file, "low", keys),
                key(file, "high", keys),
                SimpleStats.EMPTY_STATS,
                SimpleStats.EMPTY_STATS,
                number(file, "sequence"),
                number(file, "sequence"),
                0,
                (int) number(file, "level"),
                file.get("deletes") == null ? null : number(file, "deletes"),
                null,
                FileSource.APPEND,
                null,
                number(file, "first_row_id"),
                null);
    }

    @SuppressWarnings("unchecked")
    private static BinaryRow key(Map<String, Object> file, String end, RowType keys) {
        return Buckets.row((List<String>) file.getOrDefault(end, List.of()), keys);
    }

    private static long number(Map<String, Object> file, String name) {
        return ((Number) file.getOrDefault(name, 0)).longValue();
    }
}
