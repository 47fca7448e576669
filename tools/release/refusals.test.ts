/** When `npm run release` refuses. */
import { expect, test } from 'vitest';
import { findRefusals, type Release } from './refusals.ts';

const release: Release = {
  status: '',
  changelog: '# Changelog\n\n## 0.2.0 (unreleased)\n\n- New.\n\n## 0.1.0 (2026-12-01)\n',
  version: '0.2.0',
  manifests: [
    { name: 'public', version: '0.2.0', dependencies: { zod: '4.0.0' }, devDependencies: { hidden: '*' } },
    { name: 'other', version: '0.2.0', peerDependencies: { public: '*' } },
    { name: 'hidden', version: '0.1.0', private: true, dependencies: { hidden: '*' } },
  ],
};

test('a clean tree with an unreleased version is released', () => {
  expect(findRefusals(release)).toEqual([]);
});

test('changes of the working tree are refused', () => {
  expect(findRefusals({ ...release, status: ' M README.md' })).toEqual([
    'The working tree has changes: commit them, because a release is a commit.\n M README.md',
  ]);
});

test('a version that CHANGELOG.md has as released is refused', () => {
  const manifests = release.manifests.map((manifest) => ({ ...manifest, version: '0.1.0' }));
  expect(findRefusals({ ...release, version: '0.1.0', manifests })).toEqual([
    'CHANGELOG.md has 0.1.0 as released ("## 0.1.0 (2026-12-01)"): raise the version.',
  ]);
});

test('a version that CHANGELOG.md does not have is refused', () => {
  const manifests = release.manifests.map((manifest) => ({ ...manifest, version: '0.2' }));
  expect(findRefusals({ ...release, version: '0.2', manifests })).toEqual([
    'CHANGELOG.md has no section "## 0.2 (unreleased)": write it.',
  ]);
});

test('a public package of another version is refused', () => {
  const manifests = [{ name: 'public', version: '0.1.0' }];
  expect(findRefusals({ ...release, manifests })).toEqual([
    'public has the version 0.1.0, package.json 0.2.0: make them equal.',
  ]);
});

test.each(['dependencies', 'optionalDependencies', 'peerDependencies'])(
  'a private package in the %s of a public one is refused',
  (kind) => {
    const manifests = [...release.manifests, { name: 'own', version: '0.2.0', [kind]: { hidden: '*' } }];
    expect(findRefusals({ ...release, manifests })).toEqual([
      'own depends on hidden, which is private: bundle it as a development dependency.',
    ]);
  },
);
