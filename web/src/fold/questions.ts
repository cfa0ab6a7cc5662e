/** What an agent asks with options, and what was answered. */
import { fields } from "./labels";
import type { Request } from "./view";

export interface Question {
  question: string;
  header: string;
  several: boolean;
  options: { label: string; description: string }[];
}

export function questionsOf(request: Request): Question[] {
  const list = fields(request.asked.input).questions;
  return (Array.isArray(list) ? list : []).map((raw) => {
    const one = fields(raw);
    const options = (Array.isArray(one.options) ? one.options : []).map((option) => {
      const { label, description } = fields(option);
      return { label: String(label ?? ""), description: String(description ?? "") };
    });
    return {
      question: String(one.question ?? ""),
      header: String(one.header ?? ""),
      several: one.multiSelect === true,
      options,
    };
  });
}

/** In the order in which was asked; the log has them by name. */
export function answersOf(request: Request): [string, string][] {
  if (request.asked.kind !== "question" || !request.resolved) return [];
  const asked = questionsOf(request).map((one) => one.question);
  const place = (question: string): number => {
    const at = asked.indexOf(question);
    return at < 0 ? asked.length : at;
  };
  return Object.entries(fields(fields(request.resolved.modifiedInput).answers))
    .sort(([a], [b]) => place(a) - place(b))
    .map(([question, answer]) => [question, String(answer)]);
}
