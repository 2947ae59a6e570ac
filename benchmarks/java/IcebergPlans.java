import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.expressions.ExpressionParser;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.JsonNode;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Times plans of Iceberg's Java library, as engines run them. Each line of standard input is a request in JSON.
 *
 * <p>{"metadata", "snapshot", "threads", "filters", "answer"}: each filter (the REST catalog's JSON, or null) is
 * planned from the new scan to its last task, with {@code threads} threads, of which one is the caller's own. Iceberg's
 * manifest cache, which is ample, holds the manifests that were read once. With "answer", the first filter's tasks are
 * written to that file instead, one per line: the data file, then its delete files in order. For "warm_seconds", plans
 * run before the timed ones. Run with {@code -Diceberg.scan.plan-in-worker-pool=false}: the caller then plans alone.
 */
public final class IcebergPlans {
    private static final Map<String, String> CACHED = Map.of(
            CatalogProperties.IO_MANIFEST_CACHE_ENABLED, "true",
            CatalogProperties.IO_MANIFEST_CACHE_MAX_TOTAL_BYTES, String.valueOf(Long.MAX_VALUE),
            CatalogProperties.IO_MANIFEST_CACHE_MAX_CONTENT_LENGTH, String.valueOf(Integer.MAX_VALUE),
            CatalogProperties.IO_MANIFEST_CACHE_EXPIRATION_INTERVAL_MS, "0");
    private static final ObjectMapper JSON = new ObjectMapper();

    private static String location;
    private static Table table;
    private static ExecutorService pool;
    private static int poolThreads;

    private IcebergPlans() {}

    /** Loads one table at a time: another one drops the cache of the last one. */
    private static Table table(String metadata) {
        if (!metadata.equals(location)) {
            if (table != null) {
                table.io().close();
            }
            HadoopFileIO io = new HadoopFileIO(new Configuration());
            io.initialize(CACHED);
            table = new BaseTable(new StaticTableOperations(metadata, io), "b.t");
            location = metadata;
        }
        return table;
    }

    private static TableScan scan(JsonNode asked, JsonNode filter) {
        TableScan scan = table(asked.get("metadata").asText()).newScan();
        if (!asked.path("snapshot").isMissingNode() && !asked.get("snapshot").isNull()) {
            scan = scan.useSnapshot(asked.get("snapshot").asLong());
        }
        if (!filter.isNull()) {
            scan = scan.filter(ExpressionParser.fromJson(filter));
        }
        int threads = asked.get("threads").asInt();
        if (threads == 1) {
            return scan;
        }
        if (threads != poolThreads) {
            if (pool != null) {
                pool.shutdown();
            }
            pool = Executors.newFixedThreadPool(threads, work -> {
                Thread thread = new Thread(work);
                thread.setDaemon(true);
                return thread;
            });
            poolThreads = threads;
        }
        return scan.planWith(pool);
    }

    private static String line(FileScanTask task) {
        List<String> deletes = new ArrayList<>();
        for (DeleteFile delete : task.deletes()) {
            Long offset = delete.contentOffset();
            deletes.add(offset == null ? delete.location() : delete.location() + "#" + offset);
        }
        deletes.sort(null);
        deletes.add(0, task.file().location());
        return String.join("\t", deletes);
    }

    private static void answer(JsonNode asked) throws Exception {
        try (CloseableIterable<FileScanTask> tasks = scan(asked, asked.get("filters").get(0)).planFiles();
                BufferedWriter target = Files.newBufferedWriter(Path.of(asked.get("answer").asText()))) {
            for (FileScanTask task : tasks) {
                target.write(line(task));
                target.write('\n');
            }
        }
    }

    private static ObjectNode timed(JsonNode asked, JsonNode filter) throws Exception {
        long started = System.nanoTime();
        long files = 0;
        long deletes = 0;
        try (CloseableIterable<FileScanTask> tasks = scan(asked, filter).planFiles()) {
            for (FileScanTask task : tasks) {
                files++;
                deletes += task.deletes().size();
                task.residual();
            }
        }
        double taken = (System.nanoTime() - started) / 1e6;
        return JSON.createObjectNode().put("ms", taken).put("files", files).put("deletes", deletes);
    }

    private static ArrayNode times(JsonNode asked) throws Exception {
        JsonNode filters = asked.get("filters");
        long warm = System.nanoTime() + asked.path("warm_seconds").asLong() * 1_000_000_000L;
        int number = 0;
        while (System.nanoTime() < warm) {
            timed(asked, filters.get(number++ % filters.size()));
        }
        ArrayNode found = JSON.createArrayNode();
        for (JsonNode filter : filters) {
            found.add(timed(asked, filter));
        }
        return found;
    }

    /** Answers requests until the input ends. */
    public static void main(String[] words) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            ObjectNode said = JSON.createObjectNode();
            try {
                JsonNode asked = JSON.readTree(line);
                if (asked.has("answer")) {
                    answer(asked);
                } else {
                    said.set("plans", times(asked));
                }
            } catch (Exception | OutOfMemoryError problem) {
                said.put("error", problem.toString());
            }
            out.println(said);
            out.flush();
        }
    }
}
