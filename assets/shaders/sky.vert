out vec3 ray;
void main() {
    vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    ray = forward.xyz + p.x * lens.x * right.xyz + p.y * lens.y * up.xyz;
    gl_Position = vec4(p, 1.0, 1.0);   // behind everything
}
