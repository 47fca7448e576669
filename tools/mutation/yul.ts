/** Finds the mutants of assembly. */
import { isPure, type Node } from './ast.ts';
import { neighbours, opcodes } from './operators.ts';
import type { Edit, Recorder } from './recorder.ts';

/** Records the mutants of a node of assembly; `path` are its ancestors. */
export function mutateYul(recorder: Recorder, node: Node, path: Node[]): void {
  const parent = path.at(-1);
  const name = node.functionName?.name ?? '';
  const put = (operator: string, text: string, shown = node) => {
    const edit = recorder.edit(node, text, 'yul expression');
    recorder.add(operator, [edit], isPure(node) ? [edit] : yulStatement(recorder, edit, path), shown);
  };
  switch (node.nodeType) {
    case 'YulFunctionCall': {
      const args = (node.arguments as Node[]).map((arg) => recorder.text(arg));
      if (/^(iszero|not)$/.test(name)) put(`${name} removed`, args[0] ?? '');
      const other = opcodes[name];
      if (!other) return;
      const text = `${other}(${args.join(', ')})`;
      put(/^(lt|gt|eq)$/.test(name) ? 'comparison' : 'arithmetic', text);
      if (/^(lt|gt)$/.test(name)) put('comparison', `iszero(${text})`);
      return;
    }
    case 'YulLiteral':
      if (node.kind !== 'number' || parent?.nodeType === 'YulCase') return;
      for (const text of neighbours(recorder.text(node))) {
        put('constant', text, parent?.nodeType === 'YulFunctionCall' ? parent : node);
      }
      return;
    case 'YulIf': {
      const condition = node.condition as Node;
      if (condition.functionName?.name === 'iszero') return;
      const edit = recorder.edit(condition, `iszero(${recorder.text(condition)})`, 'yul expression');
      recorder.add('condition negated', [edit], isPure(condition) ? [edit] : undefined, condition);
      return;
    }
    case 'YulVariableDeclaration': {
      const value = node.value as Node | null;
      if (!value || value.nodeType === 'YulLiteral' || node.variables?.length !== 1) return;
      const edit = recorder.edit(value, '0', 'yul expression');
      recorder.add('value dropped', [edit], isPure(value) ? [edit] : undefined, node);
      return;
    }
    case 'YulExpressionStatement':
    case 'YulAssignment': {
      const edit = recorder.edit(node, '', 'yul statement');
      recorder.add('statement removed', [edit], [edit], node);
      return;
    }
  }
}

/** Returns the switch of a whole assembly statement, for an edit inside it. */
function yulStatement(recorder: Recorder, edit: Edit, path: Node[]): Edit[] | undefined {
  const statement = path.findLast((n) => !/^Yul(FunctionCall|Literal|Identifier)$/.test(n.nodeType));
  if (!statement || !/^Yul(ExpressionStatement|Assignment)$/.test(statement.nodeType)) return undefined;
  return [recorder.edit(statement, recorder.edited(statement, edit), 'yul statement')];
}
