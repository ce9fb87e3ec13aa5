// The friction cone of a contact: apex at the contact, facets as the solver has them.
layout(location = 0) in vec3 shape;       // cos, sin, 1 on the rim / 0 at the apex
layout(location = 1) in vec3 corner;      // barycentric; 0 opposite to the apex is the rim
layout(location = 8) in vec4 apex;        // [m]; w: height [m]
layout(location = 9) in vec4 axis;        // unit; w: half width of the rim [m]
layout(location = 10) in vec4 tangent;    // unit, towards the first vertex
layout(location = 11) in vec4 tint;       // sRGB
out vec3 bary, world;
flat out vec4 colour_in;
flat out vec3 axis_in;
void main() {
    vec3 second = cross(axis.xyz, tangent.xyz);
    float most = 0.667 * lens.y * max(dot(apex.xyz - eye.xyz, forward.xyz), 1e-6);   // as long as its arrow may be
    world = apex.xyz + min(1.0, most / max(apex.w, 1e-9)) * shape.z * (axis.xyz * apex.w + axis.w * (shape.x * tangent.xyz + shape.y * second));
    bary = corner;
    colour_in = tint;
    axis_in = axis.xyz;
    gl_Position = view_projection * vec4(world, 1.0);
}
