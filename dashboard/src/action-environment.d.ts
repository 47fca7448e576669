/** Made by `action-environment.ts`. */
declare module 'virtual:action-environment' {
  const members: { [expression: string]: { name: string; type?: string; about?: string }[] };
  export default members;
}
