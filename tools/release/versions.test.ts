/** A raised version in texts, and the version of a rehearsal. */
import { expect, test } from 'vitest';
import { nextVersion, raiseChangelog, raiseImages } from './versions.ts';

test('images have the raised version, and nothing else changes', () => {
  const text = 'image: latchkey/relayer:0.1.0\nimage: docker.io/library/postgres:17\n# since 0.1.0\n';
  const raised = 'image: latchkey/relayer:0.10.0\nimage: docker.io/library/postgres:17\n# since 0.1.0\n';
  expect(raiseImages(text, '0.10.0')).toBe(raised);
  expect(raiseImages(raised, '0.10.1')).toBe(raised.replace('0.10.0', '0.10.1'));
});

test('the unreleased section of the changelog has the raised version', () => {
  const text = '# Changelog\n\n## 0.1.1 (unreleased)\n\n- New.\n\n## 0.1.0 (2026-12-01)\n';
  expect(raiseChangelog(text, '0.2.0')).toBe(text.replace('0.1.1', '0.2.0'));
});

test('a changelog without an unreleased section gets one', () => {
  const text = '# Changelog\n\n## 0.1.0 (2026-12-01)\n';
  expect(raiseChangelog(text, '0.2.0')).toBe(
    '# Changelog\n\n## 0.2.0 (unreleased)\n\n## 0.1.0 (2026-12-01)\n',
  );
});

test('a rehearsal releases the raised version, or the next minor one', () => {
  expect(nextVersion('0.1.0', '0.1.1')).toBe('0.1.1');
  expect(nextVersion('0.9.3', '0.9.3')).toBe('0.10.0');
});
