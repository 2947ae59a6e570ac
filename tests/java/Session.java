import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.Options;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.table.Table;

/** Paimon's Java client, asked on standard input: a line of JSON with an "action" each, a line of JSON its answer. */
public final class Session {
    static final ObjectMapper JSON = new ObjectMapper();
    final Map<String, Catalog> catalogs = new HashMap<>();
    private final Writes writes = new Writes(this);
    private final Plans plans = new Plans(this);

    public static void main(String[] words) throws Exception {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Session session = new Session();
        for (String line = asked.readLine(); line != null; line = asked.readLine()) {
            Map<String, Object> answer = new HashMap<>();
            try {
                answer.put("value", session.answer(new Question(JSON.readValue(line, Map.class))));
            } catch (Throwable problem) {
                problem.printStackTrace();
                answer.put("error", said(problem));
            }
            answers.println(JSON.writeValueAsString(answer));
        }
    }

    private static String said(Throwable problem) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            text.append(text.length() == 0 ? "" : " <- ").append(cause);
        }
        return text.toString();
    }

    private Object answer(Question asked) throws Exception {
        switch (asked.text("action")) {
            case "catalog":
                Options options = Options.fromMap(asked.texts("options"));
                catalogs.put(asked.text("name"), CatalogFactory.createCatalog(CatalogContext.create(options)));
                return null;
            case "tables":
                return catalogs.get(asked.text("catalog")).listTables(asked.text("database"));
            case "databases":
                return catalogs.get(asked.text("catalog")).listDatabases();
            case "columns":
                return plans.columns(asked);
            case "create":
                return writes.create(asked);
            case "alter":
                return writes.alter(asked);
            case "write":
                return writes.write(asked);
            case "compact":
                return writes.compact(asked);
            case "delete":
                return writes.delete(asked);
            case "index anew":
                return writes.indexAnew(asked);
            case "tag":
                table(asked).createTag(asked.text("name"));
                return null;
            case "expire":
                return Expiry.of(table(asked), asked);
            case "orphans":
                return Orphans.of(table(asked), asked);
            case "branch":
                if (asked.text("tag") == null) {
                    table(asked).createBranch(asked.text("name"));
                } else {
                    table(asked).createBranch(asked.text("name"), asked.text("tag"));
                }
                return null;
            case "rows":
                return plans.rows(asked);
            case "splits":
                return plans.splits(asked);
            case "plans":
                return plans.plans(asked);
            case "missing":
                return plans.missing(asked);
            case "packed":
                return Packing.of(asked);
            case "buckets":
                return Buckets.of(asked);
            default:
                throw new IllegalArgumentException(asked.text("action"));
        }
    }

    /** The table that a question names: "table" of database "db" of "catalog", of "branch", with "options". */
    Table table(Question asked) throws Exception {
        Identifier name = new Identifier("db", asked.text("table"), asked.text("branch"), asked.text("system"));
        return catalogs.get(asked.text("catalog")).getTable(name).copy(asked.texts("options"));
    }

    /** What is asked. */
    static final class Question {
        private final Map<String, Object> words;

        Question(Map<String, Object> words) {
            this.words = words;
        }

        String text(String name) {
            return (String) words.get(name);
        }

        boolean is(String name) {
            return Boolean.TRUE.equals(words.get(name));
        }

        @SuppressWarnings("unchecked")
        <T> List<T> list(String name) {
            return (List<T>) words.getOrDefault(name, List.of());
        }

        @SuppressWarnings("unchecked")
        Map<String, String> texts(String name) {
            return (Map<String, String>) words.getOrDefault(name, Map.of());
        }
    }
}
