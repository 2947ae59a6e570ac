package org.apache.iceberg;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.iceberg.types.Types;

/** Tables of a random history, and what Iceberg's library removes when their snapshots expire; a line of JSON each. */
public final class Expiry {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Schema SCHEMA =
            new Schema(Types.NestedField.optional(1, "id", Types.LongType.get()),
                    Types.NestedField.optional(2, "region", Types.StringType.get()));
    private static final HadoopTables TABLES = new HadoopTables(new Configuration());
    private static final String[] REGIONS = {"eu", "us", "asia", "__HIVE_DEFAULT_PARTITION__"};

    private final Random random;
    private final Table table;
    private final String path;
    private final List<String> branches = new ArrayList<>(List.of("main"));
    private int files;

    private Expiry(long seed, String path, Map<String, String> properties) {
        this.random = new Random(seed);
        this.path = path;
        PartitionSpec spec = PartitionSpec.builderFor(SCHEMA).identity("region").build();
        this.table = TABLES.create(SCHEMA, spec, properties, path);
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] words) throws Exception {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = asked.readLine(); line != null; line = asked.readLine()) {
            Map<String, Object> question = JSON.readValue(line, Map.class);
            String path = (String) question.get("path");
            if ("make".equals(question.get("action"))) {
                long seed = ((Number) question.get("seed")).longValue();
                new Expiry(seed, path, (Map<String, String>) question.get("properties"))
                        .grow((Integer) question.get("commits"), Boolean.TRUE.equals(question.get("crossed")));
                answers.println("{}");
            } else {
                answers.println(JSON.writeValueAsString(expire(path, question)));
            }
        }
    }

    private static Map<String, Object> expire(String path, Map<String, Object> question) {
        Table table = TABLES.load(path);
        Set<String> refs = new HashSet<>(table.refs().keySet());
        Set<Long> snapshots = ids(table);
        ConcurrentLinkedQueue<String> gone = new ConcurrentLinkedQueue<>();
        Map<String, Object> answer = new HashMap<>();
        try {
            ExpireSnapshots expiry = table.expireSnapshots().deleteWith(gone::add);
            if (question.get("older_than") != null) {
                expiry = expiry.expireOlderThan(((Number) question.get("older_than")).longValue());
            }
            if (question.get("retain_last") != null) {
                expiry = expiry.retainLast((Integer) question.get("retain_last"));
            }
            if ("reachable".equals(question.get("cleanup"))) {
                expiry = ((RemoveSnapshots) expiry).withIncrementalCleanup(false);
            }
            expiry.commit();
        } catch (ValidationException refused) {
            answer.put("refused", refused.getMessage());
        }
        table.refresh();
        snapshots.removeAll(ids(table));
        refs.removeAll(table.refs().keySet());
        answer.put("files", new ArrayList<>(gone));
        answer.put("snapshots", snapshots.stream().map(String::valueOf).toList());
        answer.put("refs", refs);
        return answer;
    }

    private static Set<Long> ids(Table table) {
        Set<Long> found = new HashSet<>();
        table.snapshots().forEach(one -> found.add(one.snapshotId()));
        return found;
    }

    /** Commits, each at a later millisecond; crossed: with branches, tags, rollbacks and staged commits. */
    private void grow(int commits, boolean crossed) {
        for (int i = 0; i < commits; i++) {
            String branch = crossed ? branches.get(random.nextInt(branches.size())) : "main";
            try {
                commit(branch, crossed);
                if (crossed) {
                    cross(i);
                }
            } catch (ValidationException refused) {
                // A history that Iceberg does not allow, such as picking a commit twice.
            }
            if (random.nextInt(3) == 0 && table.currentSnapshot() != null) {
                describe(table.currentSnapshot().snapshotId());
            }
            long now = System.currentTimeMillis();
            while (System.currentTimeMillis() <= now + 1) {
                Thread.onSpinWait();
            }
        }
    }

    private void commit(String branch, boolean crossed) {
        List<DataFile> live = new ArrayList<>();
        List<DeleteFile> deletes = new ArrayList<>();
        Snapshot head = table.snapshot(branch);
        if (head != null) {
            for (ManifestFile manifest : head.dataManifests(table.io())) {
                ManifestFiles.read(manifest, table.io(), table.specs()).forEach(file -> live.add(file.copy()));
            }
            for (ManifestFile manifest : head.deleteManifests(table.io())) {
                ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs())
                        .forEach(file -> deletes.add(file.copy()));
            }
        }
        int choice = live.isEmpty() ? 0 : random.nextInt(8);
        switch (choice) {
            case 3:
                table.newDelete().deleteFile(pick(live)).toBranch(branch).commit();
                break;
            case 4:
                RewriteFiles rewrite = table.newRewrite().toBranch(branch).deleteFile(pick(live));
                rewrite.addFile(data()).validateFromSnapshot(head.snapshotId()).commit();
                break;
            case 5:
                RowDelta delta = table.newRowDelta().addDeletes(deleteFile(live)).toBranch(branch);
                if (!deletes.isEmpty() && random.nextBoolean()) {
                    delta.removeDeletes(deletes.get(random.nextInt(deletes.size())));
                }
                delta.commit();
                break;
            case 6:
                table.newOverwrite().deleteFile(pick(live)).addFile(data()).addFile(data()).toBranch(branch).commit();
                break;
            case 7:
                if (branch.equals("main")) {
                    table.rewriteManifests().clusterBy(file -> String.valueOf(file.partition().get(0, String.class))).commit();
                    break;
                }
            default:
                AppendFiles append = random.nextBoolean() ? table.newFastAppend() : table.newAppend();
                for (int i = random.nextInt(3); i >= 0; i--) {
                    append.appendFile(data());
                }
                if (crossed && random.nextInt(6) == 0) {
                    append.stageOnly();
                }
                append.toBranch(branch).commit();
        }
    }

    private void cross(int number) {
        if (table.currentSnapshot() == null) {
            return;
        }
        List<Long> known = new ArrayList<>();
        table.snapshots().forEach(one -> known.add(one.snapshotId()));
        long any = known.get(random.nextInt(known.size()));
        switch (random.nextInt(9)) {
            case 0:
                table.manageSnapshots().createTag("tag" + number, any).commit();
                if (random.nextBoolean()) {
                    table.manageSnapshots().setMaxRefAgeMs("tag" + number, random.nextBoolean() ? 1 : 1L << 40).commit();
                }
                break;
            case 1:
                String name = "branch" + number;
                table.manageSnapshots().createBranch(name, any).commit();
                branches.add(name);
                if (random.nextBoolean()) {
                    table.manageSnapshots().setMinSnapshotsToKeep(name, 1 + random.nextInt(4)).commit();
                }
                if (random.nextBoolean()) {
                    table.manageSnapshots().setMaxSnapshotAgeMs(name, random.nextBoolean() ? 1 : 1L << 40).commit();
                }
                if (random.nextInt(4) == 0) {
                    table.manageSnapshots().setMaxRefAgeMs(name, 1).commit();
                }
                break;
            case 2:
                table.manageSnapshots().rollbackTo(table.currentSnapshot().parentId() == null
                        ? table.currentSnapshot().snapshotId() : table.currentSnapshot().parentId()).commit();
                break;
            case 3:
                table.manageSnapshots().cherrypick(any).commit();
                break;
            default:
        }
    }

    private void describe(long snapshotId) {
        String place = path + "/metadata/" + snapshotId + "-" + files++ + ".stats";
        table.updateStatistics()
                .setStatistics(new GenericStatisticsFile(snapshotId, place, 100 + files, 10, List.of()))
                .commit();
        if (random.nextBoolean()) {
            String other = path + "/metadata/" + snapshotId + "-" + files++ + ".parquet";
            table.updatePartitionStatistics()
                    .setPartitionStatistics(ImmutableGenericPartitionStatisticsFile.builder()
                            .snapshotId(snapshotId).path(other).fileSizeInBytes(50 + files).build())
                    .commit();
        }
    }

    private DataFile pick(List<DataFile> live) {
        return live.get(random.nextInt(live.size()));
    }

    private DataFile data() {
        int number = files++;
        return DataFiles.builder(table.spec())
                .withPath(path + "/data/" + number + ".parquet")
                .withFormat(FileFormat.PARQUET)
                .withPartitionPath("region=" + REGIONS[random.nextInt(REGIONS.length)])
                .withFileSizeInBytes(1000 + number)
                .withRecordCount(10)
                .build();
    }

    private DeleteFile deleteFile(List<DataFile> live) {
        int number = files++;
        FileMetadata.Builder file = FileMetadata.deleteFileBuilder(table.spec())
                .withPath(path + "/data/" + number + "-deletes.parquet")
                .withFormat(FileFormat.PARQUET)
                .withPartition(pick(live).partition())
                .withFileSizeInBytes(100 + number)
                .withRecordCount(1);
        return (random.nextBoolean() ? file.ofPositionDeletes() : file.ofEqualityDeletes(1)).build();
    }
}
