// A mark of constant size in pixels that always faces the camera; its shape tells what it is.
layout(location = 0) in vec2 corner;
layout(location = 8) in vec4 place;   // [m]; w: size [px]
layout(location = 9) in vec4 heading; // direction [world]; w: shape 0 = ring, 1 = square, 2 = arrow, 3 = disc, 4 = ringed disc,
// 5 = halo, 6 = quartered disc
layout(location = 10) in vec4 tint;   // sRGB
out vec2 at;
flat out vec4 colour_in;
flat out float shape, pixels;
void main() {
    vec3 to = place.xyz - eye.xyz;
    float depth = max(dot(to, forward.xyz), 1e-6);
    vec2 along = vec2(dot(heading.xyz, right.xyz), dot(heading.xyz, up.xyz)) * depth
               - dot(heading.xyz, forward.xyz) * vec2(dot(to, right.xyz), dot(to, up.xyz));
    float l = length(along);
    along = (heading.w > 1.5 && heading.w < 2.5 && l > 1e-9) ? along / l : vec2(1.0, 0.0);
    at = corner * (0.5 * place.w + 2.5);
    vec2 p = at.x * along + at.y * vec2(-along.y, along.x);
    float pixel = eye.w * depth;
    vec4 clip = view_projection * vec4(place.xyz + pixel * (p.x * right.xyz + p.y * up.xyz), 1.0);
    clip.z -= 0.004 * 0.5 * clip.w * min(1.0, 4.0 * pixel * place.w / (grid.z > 0.5 ? grid.w : depth) * 10.0) * 0.1;
    gl_Position = clip;
    colour_in = tint;
    shape = heading.w;
    pixels = 0.5 * place.w;
}
