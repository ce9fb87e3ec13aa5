// A line of constant width in pixels, as a strip that faces the camera.
layout(location = 0) in vec2 corner;   // x: -1 at the start, 1 at the end; y: the side
layout(location = 8) in vec4 start;    // [m]; w: width [px]
layout(location = 9) in vec4 end;      // [m]
layout(location = 10) in vec4 tint;    // sRGB
out float across;
flat out float half_width;
flat out vec4 colour_in;
void main() {
    vec4 a = view_projection * vec4(start.xyz, 1.0), b = view_projection * vec4(end.xyz, 1.0);
    float near = min(1e-4 * focus.w, 0.5);   // both ends in front of the eye
    colour_in = tint;
    half_width = 0.5 * start.w;
    across = corner.y * (half_width + 1.0);
    if (max(a.w, b.w) < near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
    if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
    vec2 along = (b.xy / b.w - a.xy / a.w) * lens.zw;
    float size = length(along);
    along = size > 1e-6 ? along / size : vec2(1.0, 0.0);
    vec4 clip = corner.x < 0.0 ? a : b;
    clip.xy += (vec2(-along.y, along.x) * across + along * corner.x * 0.5) * 2.0 / lens.zw * clip.w;
    clip.z -= 2e-5 * clip.w;
    gl_Position = clip;
}
