import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.SingleValueParser;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.expressions.Evaluator;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.ExpressionParser;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.JsonNode;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/**
 * Reads residuals as Iceberg's clients do, and asks them of rows. The first line of the input is a schema; each other
 * one a residual and rows, values in the JSON single-value form, those of floating point numbers as text. The answer
 * to it is a line: an array of booleans, or an error.
 */
public final class Residuals {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private record Row(Object[] values) implements StructLike {
    @Override
    public int size() {
      return values.length;
    }

    @Override
    public <T> T get(int position, Class<T> kind) {
      return kind.cast(values[position]);
    }

    @Override
    public <T> void set(int position, T value) {
      throw new UnsupportedOperationException();
    }
  }

  public static void main(String[] arguments) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Schema schema = SchemaParser.fromJson(input.readLine());
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      System.out.println(answer(schema, MAPPER.readTree(line)));
    }
  }

  private static String answer(Schema schema, JsonNode asked) {
    try {
      // Without the schema, as FileScanTaskParser and RESTFileScanTaskParser do.
      Expression residual = ExpressionParser.fromJson(asked.get("residual"));
      Evaluator evaluator = new Evaluator(schema.asStruct(), residual, true);
      ArrayNode found = MAPPER.createArrayNode();
      for (JsonNode row : asked.get("rows")) {
        found.add(evaluator.eval(new Row(values(schema.columns(), row))));
      }
      return found.toString();
    } catch (Exception error) {
      return MAPPER.createObjectNode().put("error", error.toString()).toString();
    }
  }

  private static Object[] values(List<Types.NestedField> columns, JsonNode row) {
    Object[] found = new Object[columns.size()];
    for (int at = 0; at < found.length; at++) {
      JsonNode value = row.get(at);
      Type of = columns.get(at).type();
      if (value.isNull()) {
        continue;
      }
      switch (of.typeId()) {
        case FLOAT -> found[at] = Float.parseFloat(value.asText());
        case DOUBLE -> found[at] = Double.parseDouble(value.asText());
        default -> found[at] = SingleValueParser.fromJson(of, value);
      }
    }
    return found;
  }
}
