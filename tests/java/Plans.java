import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.globalindex.IndexedSplit;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.RowType;

/** What is read: plans, and the rows that files hold. */
final class Plans {
    private final Session session;

    Plans(Session session) {
        this.session = session;
    }

    static List<DataSplit> splits(Table table, Predicate where) {
        ReadBuilder builder = table.newReadBuilder();
        if (where != null) {
            builder.withFilter(where);
        }
        List<DataSplit> found = new ArrayList<>();
        for (Split split : builder.newScan().plan().splits()) {
            found.add(split instanceof IndexedSplit ? ((IndexedSplit) split).dataSplit() : (DataSplit) split);
        }
        return found;
    }

    /** The columns of a table: [name, type]. */
    Object columns(Session.Question asked) throws Exception {
        List<Object> columns = new ArrayList<>();
        session.table(asked).rowType().getFields().forEach(f -> columns.add(List.of(f.name(), f.type().asSQLString())));
        return columns;
    }

    /** All rows of a table, or those that it finds for "where". */
    Object rows(Session.Question asked) throws Exception {
        Table table = session.table(asked);
        List<Object> words = asked.list("where");
        Predicate where = words.isEmpty() ? null : Values.predicate(words, table.rowType());
        ReadBuilder builder = table.newReadBuilder().withFilter(where);
        List<Object> rows = new ArrayList<>();
        try (RecordReader<InternalRow> reader =
                builder.newRead().executeFilter().createReader(builder.newScan().plan())) {
            reader.forEachRemaining(row -> {
                if (where == null || where.test(row)) {
                    rows.add(Values.plain(row, table.rowType()));
                }
            });
        }
        return rows;
    }

    /** The splits of the whole table, with all that they say of each file. */
    Object splits(Session.Question asked) throws Exception {
        List<Object> answer = new ArrayList<>();
        for (DataSplit split : splits(session.table(asked), null)) {
            List<Object> files = new ArrayList<>();
            for (int i = 0; i < split.dataFiles().size(); i++) {
                Map<String, Object> file = new LinkedHashMap<>();
                file.put("name", split.dataFiles().get(i).fileName());
                file.put("level", split.dataFiles().get(i).level());
                DeletionFile vector = split.deletionFiles().isPresent() ? split.deletionFiles().get().get(i) : null;
                if (vector != null) {
                    Map<String, Object> said = new LinkedHashMap<>();
                    said.put("path", vector.path());
                    said.put("offset", vector.offset());
                    said.put("length", vector.length());
                    said.put("cardinality", vector.cardinality());
                    file.put("vector", said);
                }
                files.add(file);
            }
            answer.add(Map.of("bucket", split.bucket(), "raw", split.rawConvertible(), "files", files));
        }
        return answer;
    }

    /** The names of the files that are planned for each of "predicates". */
    Object plans(Session.Question asked) throws Exception {
        Table table = session.table(asked);
        List<Object> answer = new ArrayList<>();
        for (List<Object> words : asked.<List<Object>>list("predicates")) {
            Set<String> names = new TreeSet<>();
            for (DataSplit split : splits(table, Values.predicate(words, table.rowType()))) {
                split.dataFiles().forEach(file -> names.add(file.fileName()));
            }
            answer.add(names);
        }
        return answer;
    }

    /**
     * How many rows that match each of "predicates" are not found by the files of its plan of "plans": lists of
     * [file name, whether it is read without merging]. Below zero: rows that are not there.
     */
    Object missing(Session.Question asked) throws Exception {
        FileStoreTable table = (FileStoreTable) session.table(asked);
        List<DataSplit> splits = splits(table, null);
        List<InternalRow> all = new ArrayList<>();
        for (DataSplit split : splits) {
            all.addAll(read(table, split));
        }
        Map<String, List<InternalRow>> known = new HashMap<>();
        List<Object> answer = new ArrayList<>();
        List<List<List<Object>>> plans = asked.list("plans");
        int position = 0;
        for (List<Object> words : asked.<List<Object>>list("predicates")) {
            Predicate where = Values.predicate(words, table.rowType());
            Map<List<Object>, Integer> rows = new HashMap<>();
            count(all, where, table.rowType(), 1, rows);
            Set<Object> raw = new HashSet<>();
            Set<Object> merged = new HashSet<>();
            plans.get(position++).forEach(file -> ((Boolean) file.get(1) ? raw : merged).add(file.get(0)));
            for (DataSplit split : joined(splits)) {
                boolean together = table.coreOptions().dataEvolutionEnabled();
                List<DataFileMeta> unmerged = new ArrayList<>();
                List<DataFileMeta> sections = new ArrayList<>();
                for (DataFileMeta file : split.dataFiles()) {
                    if (merged.contains(file.fileName())) {
                        sections.add(file);
                    } else if (raw.contains(file.fileName())) {
                        unmerged.add(file);
                    }
                }
                List<DataSplit> units = new ArrayList<>();
                if (together && !unmerged.isEmpty()) {
                    units.add(part(split, unmerged, vectors(split), true));
                } else {
                    unmerged.forEach(file -> units.add(part(split, List.of(file), vectors(split), true)));
                }
                if (!sections.isEmpty()) {
                    units.add(part(split, sections, vectors(split), false));
                }
                for (DataSplit unit : units) {
                    StringBuilder key = new StringBuilder().append(unit.rawConvertible());
                    unit.dataFiles().forEach(file -> key.append(' ').append(file.fileName()));
                    if (!known.containsKey(key.toString())) {
                        known.put(key.toString(), read(table, unit));
                    }
                    count(known.get(key.toString()), where, table.rowType(), -1, rows);
                }
            }
            int least = rows.values().stream().mapToInt(Integer::intValue).min().orElse(0);
            int most = rows.values().stream().mapToInt(Integer::intValue).max().orElse(0);
            int matching = (int) all.stream().filter(where::test).count();
            answer.add(List.of(most, least, matching));
        }
        return answer;
    }

    private static void count(
            List<InternalRow> rows, Predicate where, RowType type, int by, Map<List<Object>, Integer> counts) {
        for (InternalRow row : rows) {
            if (where.test(row)) {
                counts.merge(Values.plain(row, type), by, Integer::sum);
            }
        }
    }

    private static List<InternalRow> read(FileStoreTable table, DataSplit split) throws Exception {
        InternalRowSerializer copies = new InternalRowSerializer(table.rowType());
        List<InternalRow> rows = new ArrayList<>();
        try (RecordReader<InternalRow> reader = table.newRead().createReader(split)) {
            reader.forEachRemaining(row -> rows.add(copies.copy(row)));
        }
        return rows;
    }

    private static Map<String, DeletionFile> vectors(DataSplit split) {
        Map<String, DeletionFile> found = new HashMap<>();
        split.deletionFiles().ifPresent(files -> {
            for (int i = 0; i < files.size(); i++) {
                found.put(split.dataFiles().get(i).fileName(), files.get(i));
            }
        });
        return found;
    }

    /** One split a bucket. */
    private static List<DataSplit> joined(List<DataSplit> splits) {
        Map<List<Object>, List<DataSplit>> buckets = new LinkedHashMap<>();
        splits.forEach(s -> buckets.computeIfAbsent(List.of(s.partition(), s.bucket()), k -> new ArrayList<>()).add(s));
        List<DataSplit> whole = new ArrayList<>();
        for (List<DataSplit> bucket : buckets.values()) {
            List<DataFileMeta> files = new ArrayList<>();
            Map<String, DeletionFile> vectors = new HashMap<>();
            for (DataSplit split : bucket) {
                files.addAll(split.dataFiles());
                vectors.putAll(vectors(split));
            }
            whole.add(part(bucket.get(0), files, vectors, bucket.get(0).rawConvertible()));
        }
        return whole;
    }

    /** A split of some files of another; of no deletion vectors when there are none. */
    static DataSplit part(DataSplit of, List<DataFileMeta> files, Map<String, DeletionFile> vectors, boolean raw) {
        DataSplit.Builder builder = DataSplit.builder()
                .withSnapshot(of.snapshotId())
                .withPartition(of.partition())
                .withBucket(of.bucket())
                .withBucketPath(of.bucketPath())
                .withTotalBuckets(of.totalBuckets())
                .withDataFiles(files)
                .rawConvertible(raw);
        if (vectors != null && files.stream().anyMatch(file -> vectors.get(file.fileName()) != null)) {
            List<DeletionFile> theirs = new ArrayList<>();
            files.forEach(file -> theirs.add(vectors.get(file.fileName())));
            builder.withDataDeletionFiles(theirs);
        }
        return builder.build();
    }
}
