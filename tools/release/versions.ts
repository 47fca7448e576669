/** Changes of a new version besides the manifests. */

/** Returns a manifest, a page or a script with the images of this version. */
export const raiseImages = (text: string, version: string): string =>
  text.replace(/(\blatchkey\/[a-z]+):\d+\.\d+\.\d+\b/g, `$1:${version}`);

/** Returns the changelog with an unreleased section of this version at its top: that of the former version, or a new one. */
export const raiseChangelog = (text: string, version: string): string =>
  text.replace(/^## (.*)$/m, (line) => {
    const section = `## ${version} (unreleased)`;
    return line.endsWith(' (unreleased)') ? section : `${section}\n\n${line}`;
  });

/** Returns the version of a rehearsed release: that of the checkout when it was raised, and otherwise the next minor one. */
export function nextVersion(released: string, present: string): string {
  if (present !== released) return present;
  const [major = 0, minor = 0] = released.split('.').map(Number);
  return `${major}.${minor + 1}.0`;
}
