import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.apache.paimon.CoreOptions.BucketFunctionType;
import org.apache.paimon.bucket.BucketFunction;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeChecks;
import org.apache.paimon.types.RowType;

/** Which buckets keys lie in. */
final class Buckets {
    private Buckets() {}

    /**
     * For each key of "keys", of fields of "types": its row's bytes, and its bucket by "function" among each of "totals"
     * (none where the function is not given).
     */
    static Object of(Session.Question asked) {
        DataType[] types = asked.<String>list("types").stream().map(Values::type).toArray(DataType[]::new);
        RowType rows = RowType.of(types);
        String name = asked.text("function");
        BucketFunction function =
                name == null ? null : BucketFunction.create(BucketFunctionType.valueOf(name.toUpperCase()), rows);
        List<Object> answer = new ArrayList<>();
        for (List<String> key : asked.<List<String>>list("keys")) {
            BinaryRow row = row(key, rows);
            List<Integer> buckets = new ArrayList<>();
            for (Integer total : asked.<Integer>list("totals")) {
                buckets.add(function.bucket(row, total));
            }
            answer.add(Map.of("bytes", hex(row.toBytes()), "buckets", buckets));
        }
        return answer;
    }

    /** A row of its values, as text. */
    static BinaryRow row(List<String> texts, RowType type) {
        GenericRow values = new GenericRow(texts.size());
        for (int i = 0; i < texts.size(); i++) {
            values.setField(i, value(texts.get(i), type.getTypeAt(i)));
        }
        return new InternalRowSerializer(type).toBinaryRow(values).copy();
    }

    /** A value from its number (the bits of floats, milliseconds and nanoseconds of timestamps), text or hex. */
    private static Object value(String text, DataType type) {
        if (text == null) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return Boolean.valueOf(text);
            case TINYINT:
                return Byte.valueOf(text);
            case SMALLINT:
                return Short.valueOf(text);
            case INTEGER:
            case DATE:
            case TIME_WITHOUT_TIME_ZONE:
                return Integer.valueOf(text);
            case BIGINT:
                return Long.valueOf(text);
            case FLOAT:
                return Float.intBitsToFloat(Integer.parseInt(text));
            case DOUBLE:
                return Double.longBitsToDouble(Long.parseLong(text));
            case DECIMAL:
                int precision = DataTypeChecks.getPrecision(type);
                return Decimal.fromBigDecimal(new BigDecimal(text), precision, DataTypeChecks.getScale(type));
            case TIMESTAMP_WITHOUT_TIME_ZONE:
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                String[] parts = text.split(":");
                return Timestamp.fromEpochMillis(Long.parseLong(parts[0]), Integer.parseInt(parts[1]));
            case CHAR:
            case VARCHAR:
                return BinaryString.fromString(text);
            default:
                byte[] bytes = new byte[text.length() / 2];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
                }
                return bytes;
        }
    }

    private static String hex(byte[] bytes) {
        StringBuilder hex = new StringBuilder();
        for (byte one : bytes) {
            hex.append(String.format("%02x", one));
        }
        return hex.toString();
    }
}
