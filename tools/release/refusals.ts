/** Reasons not to release. */
import type { Manifest } from '@latchkey/bundle/pack';

export type Release = {
  /** Output of `git status --porcelain`. */
  status: string;
  changelog: string;
  version: string;
  /** Of the packages of the repository. */
  manifests: readonly Manifest[];
};

/** Returns the reasons that are known before anything is built, one sentence each. */
export function findRefusals({ status, changelog, version, manifests }: Release): string[] {
  const refusals: string[] = [];
  if (status !== '')
    refusals.push(`The working tree has changes: commit them, because a release is a commit.\n${status}`);
  const section = changelog.split('\n').find((line) => line.startsWith(`## ${version} `));
  if (section === undefined)
    refusals.push(`CHANGELOG.md has no section "## ${version} (unreleased)": write it.`);
  else if (section !== `## ${version} (unreleased)`)
    refusals.push(`CHANGELOG.md has ${version} as released ("${section}"): raise the version.`);
  const hidden = new Set(manifests.filter((manifest) => manifest.private).map(({ name }) => name));
  for (const manifest of manifests.filter(({ private: isPrivate }) => !isPrivate)) {
    if (manifest.version !== version)
      refusals.push(
        `${manifest.name} has the version ${manifest.version}, package.json ${version}: make them equal.`,
      );
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      if (hidden.has(name))
        refusals.push(
          `${manifest.name} depends on ${name}, which is private: bundle it as a development dependency.`,
        );
  }
  return refusals;
}
