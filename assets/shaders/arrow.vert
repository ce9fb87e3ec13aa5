// An arrow (or a rod) with a thickness in pixels, so that it stays visible at any distance. An arrow longer than a third of
// the picture's height is drawn that long, its shaft broken before the head.
layout(location = 0) in vec2 around;   // cos, sin
layout(location = 1) in vec4 profile;  // radius = x * shaft + y * head; along = z * (length - head length) + w * head length
layout(location = 8) in vec4 start;    // [m]; w: 1 with a head, 0 without
layout(location = 9) in vec4 vector;   // [m]; w: thickness [px]
layout(location = 10) in vec4 tint;    // sRGB
out vec3 normal;
out float before_head;   // [thicknesses]
flat out vec4 colour_in;
flat out float broken;
void main() {
    float size = length(vector.xyz);
    vec3 z = size > 1e-9 ? vector.xyz / size : vec3(0.0, 0.0, 1.0);
    vec3 x = normalize(abs(z.z) < 0.9 ? cross(z, vec3(0, 0, 1)) : cross(z, vec3(1, 0, 0)));
    vec3 y = cross(z, x);
    float most = 0.667 * lens.y * max(dot(start.xyz - eye.xyz, forward.xyz), 1e-6);
    broken = float(start.w > 0.5 && size > most);
    size = start.w > 0.5 ? min(size, most) : size;
    float pixel = eye.w * max(dot(start.xyz + 0.5 * size * z - eye.xyz, forward.xyz), 1e-6);
    float shaft = 0.5 * vector.w * pixel;
    float head = start.w * min(5.2 * vector.w * pixel, 0.6 * size);
    float wide = start.w > 0.5 ? 0.36 * head : shaft;
    shaft = start.w > 0.5 ? min(shaft, 0.6 * wide) : shaft;
    float radius = profile.x * shaft + profile.y * wide;
    float along = profile.z * (size - head) + profile.w * head;
    before_head = (size - head - along) / (vector.w * pixel);
    vec3 out_dir = around.x * x + around.y * y;
    normal = normalize(out_dir + z * (profile.y + profile.w > 0.0 ? 0.35 : 0.0));
    colour_in = tint;
    gl_Position = view_projection * vec4(start.xyz + z * along + out_dir * radius, 1.0);
    if (size < 1e-9) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}
