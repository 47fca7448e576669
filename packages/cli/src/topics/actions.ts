/** Actions: from a file to a run. */
import { cidOf } from '@latchkey/protocol';
import { deploy } from '../actions/deploy.ts';
import { compileFile, openLocal, readSource, runStreamed } from '../actions/run.ts';
import { testActions } from '../actions/test-actions.ts';
import { command, showChanges, showPage, type Topic, write } from '../command.ts';
import * as options from '../options.ts';
import { parseAction, parseGroup, parseParameter, readParameters } from '../parse.ts';
import { hex, table } from '../text.ts';

const file = { required: true, help: 'file of the action: JavaScript or TypeScript' } as const;

export const actions: Topic = {
  summary: 'actions: deploy, run and test',
  commands: {
    list: command({
      summary: 'lists the actions of the account or of a group',
      options: {
        group: { value: 'id', parse: parseGroup, help: 'only the actions of this group' },
        ...options.pages,
      },
      examples: ['actions list', 'actions list --group 1'],
      run: async (session, { group, ...page }) =>
        (await session.client()).listActions({ ...page, groupId: group }),
      show: (page) =>
        showPage(page, (items) =>
          table(items, {
            ACTION: ({ cidHash }) => (cidHash === 0n ? 'any' : hex(cidHash)),
            NAME: ({ name }) => name,
            DESCRIPTION: ({ description }) => description,
          }),
        ),
    }),
    cid: command({
      summary: 'prints the CID of a file',
      arguments: { file },
      examples: ['actions cid sign.ts'],
      run: async (_session, { file }) => ({ cid: await cidOf(await compileFile(file)) }),
      show: ({ cid }) => cid,
    }),
    build: command({
      summary: 'prints the code of a file: types are removed, and relative imports are bundled',
      arguments: { file },
      examples: ['actions build sign.ts > sign.js'],
      run: async (session, { file }) => {
        const code = await compileFile(file);
        // Byte by byte, where no terminal reads it.
        if (session.isJson || process.stdout.isTTY) return { code };
        process.stdout.write(code);
        return undefined;
      },
      show: (built) => built?.code ?? '',
    }),
    deploy: command({
      summary: 'registers a file as an action, and replaces its earlier version in the groups that permit it',
      arguments: { file },
      options: {
        name: { value: 'text', help: 'name of the action (default: that of the file)' },
        description: options.description,
        group: {
          value: 'id',
          many: true,
          parse: parseGroup,
          help: 'a group that gets the action; repeatable',
        },
        replace: {
          value: 'cid',
          parse: parseAction,
          help: 'the action that it replaces (default: the one with its name)',
        },
        dryRun: options.dryRun,
        yes: options.yes,
      },
      examples: [
        'actions deploy sign.ts --group 1',
        'actions deploy sign.ts --dry-run',
        'actions deploy sign.ts --yes',
      ],
      run: deploy,
      show: ({ cid, changes, priceMicros, isSent }) =>
        changes.length === 0
          ? `${cid} is deployed already`
          : `${showChanges(changes, priceMicros)}\n\n${cid}${isSent ? ' is deployed' : ' was not deployed'}`,
    }),
    run: command({
      summary:
        'runs a file or a CID with the usage key; output goes to stderr as it comes, the response to stdout',
      arguments: { action: { required: true, help: 'file of the action, or CID' } },
      options: {
        param: {
          value: 'name=value',
          many: true,
          parse: parseParameter,
          help: 'a parameter of main: JSON, or text; repeatable',
        },
        params: { value: 'file', help: 'JSON file with the parameters of main' },
        local: { help: 'runs on the local stack, in an account that is opened for it; pkpId is its wallet' },
      },
      examples: [
        'actions run sign.ts --param name=you',
        'actions run sign.ts --local',
        'actions run Qm… --params params.json --json',
      ],
      run: async (session, { action, param, params, local }) => {
        const jsParams = await readParameters(params, param);
        const source = await readSource(action);
        if (!local) return runStreamed(session, await session.runner(), source, jsParams);
        const { client, pkpId } = await openLocal(session);
        return runStreamed(session, client, source, { pkpId, ...jsParams });
      },
      show: ({ error, response }) => (error ? '' : JSON.stringify(response, null, 2)),
      exitCode: ({ hasError }) => (hasError ? 1 : 0),
    }),
    test: command({
      summary: 'runs the tests of actions on the local stack; ends with 1 when one fails',
      arguments: { path: { many: true, help: 'test files and folders (default: this folder)' } },
      examples: ['actions test', 'actions test actions/sign.test.js'],
      run: (session, { path }) =>
        testActions(session, path.length === 0 ? ['.'] : path, () => openLocal(session)),
      show: (results) => {
        const failed = results.filter(({ passed }) => !passed).length;
        return `${results.length - failed} passed, ${failed} failed`;
      },
      exitCode: (results) => (results.every(({ passed }) => passed) ? 0 : 1),
    }),
    rename: write({
      summary: 'replaces the labels of an action',
      arguments: { action: options.action, name: { required: true, help: 'new name' } },
      options: { description: options.description },
      examples: ['actions rename Qm… Sign'],
      prepare: (client, { action, name, description = '' }) =>
        client.prepare.updateActionMetadata({ cid: action, name, description }),
      show: () => 'the labels are changed',
    }),
    delete: write({
      summary: 'removes an action from the account and every group',
      arguments: { action: options.action },
      examples: ['actions delete Qm… --yes'],
      asks: true,
      prepare: (client, { action }) => client.prepare.deleteAction({ cid: action }),
      show: () => 'the action is removed',
    }),
  },
};
