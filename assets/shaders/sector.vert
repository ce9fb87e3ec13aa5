// A part of a disc, a ring or a cone about z, between two angles from x: limits of joints, gauges.
layout(location = 0) in vec2 place_in;   // along the angle, outwards: both 0 .. 1
layout(location = 8) in vec4 centre;     // [m]; w: outer radius [m]
layout(location = 9) in vec4 x_axis;     // unit; w: inner radius [m]
layout(location = 10) in vec4 z_axis;    // unit; w: angle from z, pi / 2 for a disc
layout(location = 11) in vec4 angles;    // first, last
layout(location = 12) in vec4 tint;      // sRGB
out vec2 at;
flat out float whole, solid;
flat out vec4 colour_in;
void main() {
    float angle = mix(angles.x, angles.y, place_in.x), radius = mix(x_axis.w, centre.w, place_in.y);
    vec3 out_dir = cos(angle) * x_axis.xyz + sin(angle) * cross(z_axis.xyz, x_axis.xyz);
    at = place_in;
    whole = float(angles.y - angles.x > 6.28);
    solid = float(x_axis.w > 0.0);
    colour_in = tint;
    vec3 world = centre.xyz + radius * (sin(z_axis.w) * out_dir + cos(z_axis.w) * z_axis.xyz);
    gl_Position = view_projection * vec4(world, 1.0);
}
