import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.deletionvectors.Bitmap64DeletionVector;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.DeletionVector;
import org.apache.paimon.deletionvectors.append.BaseAppendDeleteFileMaintainer;
import org.apache.paimon.append.AppendCompactTask;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.index.FileIndexProcessor;
import org.apache.paimon.index.IndexFileHandler;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.operation.BaseAppendFileStoreWrite;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.table.sink.TableCommitImpl;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.RowType;

/** What makes and changes tables. */
final class Writes {
    private final Session session;
    private long commits;

    Writes(Session session) {
        this.session = session;
    }

    Object create(Session.Question asked) throws Exception {
        Schema.Builder schema = Schema.newBuilder();
        for (List<String> column : asked.<List<String>>list("columns")) {
            schema.column(column.get(0), Values.type(column.get(1)));
        }
        schema.partitionKeys(asked.<String>list("partition")).primaryKey(asked.<String>list("primary"));
        schema.options(asked.texts("options"));
        var catalog = session.catalogs.get(asked.text("catalog"));
        catalog.createDatabase("db", true);
        catalog.createTable(Identifier.create("db", asked.text("table")), schema.build(), false);
        return null;
    }

    Object alter(Session.Question asked) throws Exception {
        List<SchemaChange> changes = new ArrayList<>();
        for (List<String> change : asked.<List<String>>list("changes")) {
            String column = change.get(1);
            String[] path = column.split("\\.");
            switch (change.get(0)) {
                case "add":
                    changes.add(SchemaChange.addColumn(path, Values.type(change.get(2)), null, null));
                    break;
                case "drop":
                    changes.add(SchemaChange.dropColumn(path));
                    break;
                case "rename":
                    changes.add(SchemaChange.renameColumn(path, change.get(2)));
                    break;
                case "type":
                    changes.add(SchemaChange.updateColumnType(path, Values.type(change.get(2)), false));
                    break;
                case "option":
                    changes.add(SchemaChange.setOption(column, change.get(2)));
                    break;
                default:
                    throw new IllegalArgumentException(change.get(0));
            }
        }
        Identifier name = new Identifier("db", asked.text("table"), asked.text("branch"), null);
        session.catalogs.get(asked.text("catalog")).alterTable(name, changes, false);
        return null;
    }

    /**
     * Commit "rows". "buckets" tells the bucket of each where the table does not; "columns" names those that the rows
     * have, for a data-evolution table, whose rows begin at row id "first".
     */
    Object write(Session.Question asked) throws Exception {
        FileStoreTable table = (FileStoreTable) session.table(asked);
        RowType type = table.rowType();
        List<Number> buckets = asked.list("buckets");
        try (TableWriteImpl<?> write = writer(table)) {
            if (!asked.list("columns").isEmpty()) {
                type = type.project(asked.<String>list("columns"));
                write.withWriteType(type);
            }
            write.withIgnorePreviousFiles(!asked.texts("overwrite").isEmpty());
            int position = 0;
            for (List<String> row : asked.<List<String>>list("rows")) {
                if (buckets.isEmpty()) {
                    write.write(Values.row(row, type));
                } else {
                    write.write(Values.row(row, type), buckets.get(position++).intValue());
                }
            }
            List<CommitMessage> messages = write.prepareCommit(true, ++commits);
            if (asked.text("first") != null) {
                for (CommitMessage message : messages) {
                    List<DataFileMeta> files = ((CommitMessageImpl) message).newFilesIncrement().newFiles();
                    files.replaceAll(file -> file.assignFirstRowId(Long.parseLong(asked.text("first"))));
                }
            }
            commit(table, messages, asked.texts("overwrite"));
        }
        return null;
    }

    /** Compact all buckets, "full" or as the writer sees fit; an append table without buckets by all of its files. */
    Object compact(Session.Question asked) throws Exception {
        FileStoreTable table = (FileStoreTable) session.table(asked);
        List<DataSplit> splits = Plans.splits(table, null);
        if (table.bucketMode() == BucketMode.BUCKET_UNAWARE) {
            Map<BinaryRow, List<DataFileMeta>> files = new LinkedHashMap<>();
            splits.forEach(s -> files.computeIfAbsent(s.partition(), p -> new ArrayList<>()).addAll(s.dataFiles()));
            List<CommitMessage> messages = new ArrayList<>();
            for (var part : files.entrySet()) {
                var write = (BaseAppendFileStoreWrite) table.store().newWrite("test");
                messages.add(new AppendCompactTask(part.getKey(), part.getValue()).doCompact(table, write));
                write.close();
            }
            commit(table, messages, Map.of());
            return null;
        }
        try (TableWriteImpl<?> write = writer(table)) {
            for (DataSplit split : splits) {
                write.compact(split.partition(), split.bucket(), asked.is("full"));
            }
            commit(table, write.prepareCommit(true, ++commits), Map.of());
        }
        return null;
    }

    /** Write the indexes of all files anew, as the procedure "rewrite_file_index" does. */
    Object indexAnew(Session.Question asked) throws Exception {
        FileStoreTable table = (FileStoreTable) session.table(asked);
        FileIndexProcessor processor = new FileIndexProcessor(table);
        List<CommitMessage> messages = new ArrayList<>();
        for (ManifestEntry entry : table.store().newScan().plan().files(FileKind.ADD)) {
            DataFileMeta indexed = processor.process(entry.partition(), entry.bucket(), entry);
            CompactIncrement replaced = new CompactIncrement(List.of(entry.file()), List.of(indexed), List.of());
            messages.add(new CommitMessageImpl(entry.partition(), entry.bucket(), entry.totalBuckets(),
                    DataIncrement.emptyIncrement(), replaced));
        }
        commit(table, messages, Map.of());
        return null;
    }

    /** Mark the rows of an append table that "where" holds for in deletion vectors. */
    Object delete(Session.Question asked) throws Exception {
        FileStoreTable table = (FileStoreTable) session.table(asked);
        Predicate where = Values.predicate(asked.list("where"), table.rowType());
        IndexFileHandler index = table.store().newIndexFileHandler();
        Map<List<Object>, BaseAppendDeleteFileMaintainer> maintainers = new HashMap<>();
        Map<List<Object>, Integer> totals = new HashMap<>();
        for (DataSplit split : Plans.splits(table, null)) {
            List<Object> place = List.of(split.partition(), split.bucket());
            boolean unaware = table.bucketMode() == BucketMode.BUCKET_UNAWARE;
            BaseAppendDeleteFileMaintainer maintainer = maintainers.computeIfAbsent(place, p -> unaware
                    ? BaseAppendDeleteFileMaintainer.forUnawareAppend(
                            index, table.latestSnapshot().get(), split.partition())
                    : BaseAppendDeleteFileMaintainer.forBucketedAppend(
                            index, table.latestSnapshot().get(), split.partition(), split.bucket()));
            totals.put(place, split.totalBuckets());
            for (DataFileMeta file : split.dataFiles()) {
                DeletionVector gone = table.coreOptions().deletionVectorBitmap64()
                        ? new Bitmap64DeletionVector() : new BitmapDeletionVector();
                long[] position = {0};
                Split whole = Plans.part(split, List.of(file), null, true);
                try (RecordReader<InternalRow> reader = table.newRead().createReader(whole)) {
                    reader.forEachRemaining(row -> {
                        if (where.test(row)) {
                            gone.delete(position[0]);
                        }
                        position[0]++;
                    });
                }
                if (!gone.isEmpty()) {
                    maintainer.notifyNewDeletionVector(file.fileName(), gone);
                }
            }
        }
        List<CommitMessage> messages = new ArrayList<>();
        for (var one : maintainers.entrySet()) {
            List<IndexFileMeta> added = new ArrayList<>();
            List<IndexFileMeta> removed = new ArrayList<>();
            for (IndexManifestEntry entry : one.getValue().persist()) {
                (entry.kind() == FileKind.ADD ? added : removed).add(entry.indexFile());
            }
            DataIncrement increment = new DataIncrement(List.of(), List.of(), List.of(), added, removed);
            messages.add(new CommitMessageImpl((BinaryRow) one.getKey().get(0), (Integer) one.getKey().get(1),
                    totals.get(one.getKey()), increment, CompactIncrement.emptyIncrement()));
        }
        commit(table, messages, Map.of());
        return null;
    }

    private static TableWriteImpl<?> writer(FileStoreTable table) throws Exception {
        String folder = Files.createTempDirectory("paimon-io").toString();
        return table.newWrite("test").withIOManager(IOManager.create(folder));
    }

    private void commit(FileStoreTable table, List<CommitMessage> messages, Map<String, String> overwrite)
            throws Exception {
        try (TableCommitImpl commit = table.newCommit("test")) {
            (overwrite.isEmpty() ? commit : commit.withOverwrite(overwrite)).commit(++commits, messages);
        }
    }
}
