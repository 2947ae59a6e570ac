// A rectangle as a part of a path. One path with many takes browsers far less time than elements of four attributes each.
export const rectangle = (x, y, wide, tall) => `M${x.toFixed(1)} ${y.toFixed(1)}h${wide.toFixed(1)}v${tall.toFixed(1)}h${(-wide).toFixed(1)}z`;
