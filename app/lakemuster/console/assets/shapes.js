// Return a rectangle as a part of a path. Browsers draw one path with many rectangles far faster than many elements.
export const rectangle = (x, y, wide, tall) => `M${x.toFixed(1)} ${y.toFixed(1)}h${wide.toFixed(1)}v${tall.toFixed(1)}h${(-wide).toFixed(1)}z`;
