import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.JsonSerdeUtil;
import org.apache.paimon.utils.TypeUtils;

/** JSON to and from Paimon's values; every value but null is text. */
final class Values {
    private Values() {}

    /** A type from SQL text, or from JSON for nested ones. */
    static DataType type(String text) {
        if (text.startsWith("{")) {
            return JsonSerdeUtil.fromJson(text, DataType.class);
        }
        return DataTypeJsonParser.parseAtomicTypeSQLString(text);
    }

    static Object of(String text, DataType type) {
        return text == null ? null : TypeUtils.castFromString(text, type);
    }

    /** A row from its kind ("+I") and its values. */
    static InternalRow row(List<String> texts, RowType type) {
        GenericRow row = new GenericRow(RowKind.fromShortString(texts.get(0)), type.getFieldCount());
        for (int i = 0; i < type.getFieldCount(); i++) {
            row.setField(i, of(texts.get(i + 1), type.getTypeAt(i)));
        }
        return row;
    }

    static List<Object> plain(InternalRow row, RowType type) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            values.add(plain(InternalRow.createFieldGetter(type.getTypeAt(i), i).getFieldOrNull(row), type.getTypeAt(i)));
        }
        return values;
    }

    private static Object plain(Object value, DataType type) {
        if (value == null) {
            return null;
        } else if (value instanceof byte[]) {
            StringBuilder hex = new StringBuilder();
            for (byte one : (byte[]) value) {
                hex.append(String.format("%02x", one));
            }
            return hex.toString();
        } else if (value instanceof InternalArray) {
            return elements((InternalArray) value, ((ArrayType) type).getElementType());
        } else if (value instanceof InternalMap) {
            InternalMap map = (InternalMap) value;
            MapType of = (MapType) type;
            return List.of(elements(map.keyArray(), of.getKeyType()), elements(map.valueArray(), of.getValueType()));
        } else if (value instanceof InternalRow) {
            return plain((InternalRow) value, (RowType) type);
        } else if (type.asSQLString().startsWith("DATE")) {
            return LocalDate.ofEpochDay((Integer) value).toString();
        }
        return value.toString();
    }

    private static List<Object> elements(InternalArray array, DataType type) {
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(type);
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            values.add(plain(getter.getElementOrNull(array, i), type));
        }
        return values;
    }

    /** A predicate from lists: ["and", …], ["or", …], [operator, column, literal …]; null for none. */
    @SuppressWarnings("unchecked")
    static Predicate predicate(List<Object> words, RowType type) {
        if (words == null) {
            return null;
        }
        String operator = (String) words.get(0);
        List<Object> rest = words.subList(1, words.size());
        if (operator.equals("and") || operator.equals("or")) {
            List<Predicate> parts = new ArrayList<>();
            rest.forEach(part -> parts.add(predicate((List<Object>) part, type)));
            return operator.equals("and") ? PredicateBuilder.and(parts) : PredicateBuilder.or(parts);
        }
        PredicateBuilder builder = new PredicateBuilder(type);
        int column = builder.indexOf((String) rest.get(0));
        List<Object> literals = new ArrayList<>();
        for (Object literal : rest.subList(1, rest.size())) {
            literals.add(of((String) literal, type.getTypeAt(column)));
        }
        Object first = literals.isEmpty() ? null : literals.get(0);
        switch (operator) {
            case "=":
                return builder.equal(column, first);
            case "<>":
                return builder.notEqual(column, first);
            case "<":
                return builder.lessThan(column, first);
            case "<=":
                return builder.lessOrEqual(column, first);
            case ">":
                return builder.greaterThan(column, first);
            case ">=":
                return builder.greaterOrEqual(column, first);
            case "in":
                return builder.in(column, literals);
            case "not in":
                return builder.notIn(column, literals);
            case "between":
                return builder.between(column, first, literals.get(1));
            case "is null":
                return builder.isNull(column);
            case "is not null":
                return builder.isNotNull(column);
            case "starts with":
                return builder.startsWith(column, BinaryString.fromString((String) rest.get(1)));
            default:
                throw new IllegalArgumentException(operator);
        }
    }
}
