import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ResultKind;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** Runs SQL statements, its arguments, in a Flink of this process; a line of output is a row of a query. */
public final class Statements {
  private static final Configuration LOOPBACK =
      Configuration.fromMap(
          Map.of(
              "jobmanager.bind-host", "127.0.0.1",
              "taskmanager.bind-host", "127.0.0.1",
              "rest.bind-address", "127.0.0.1",
              "rest.bind-port", "0",
              "parallelism.default", "1"));

  private Statements() {}

  public static void main(String[] statements) {
    int status = 0;
    try {
      EnvironmentSettings settings =
          EnvironmentSettings.newInstance().inBatchMode().withConfiguration(LOOPBACK).build();
      TableEnvironment environment = TableEnvironment.create(settings);
      for (String statement : statements) {
        print(environment.executeSql(statement));
      }
    } catch (Exception problem) {
      problem.printStackTrace();
      status = 1;
    }
    System.exit(status); // threads of Flink or of a catalog's client may be left
  }

  private static void print(TableResult result) throws Exception {
    if (result.getResultKind() != ResultKind.SUCCESS_WITH_CONTENT) {
      return;
    }
    try (CloseableIterator<Row> rows = result.collect()) {
      while (rows.hasNext()) {
        Row row = rows.next();
        List<String> fields = new ArrayList<>();
        for (int field = 0; field < row.getArity(); field++) {
          fields.add(String.valueOf(row.getField(field)));
        }
        System.out.println(String.join(",", fields));
      }
    }
  }
}
