/** What the HTTP API says about projects, their files, search, usage, rules and who may sign in. */
import type { components } from "../gen/api";

type Schemas = components["schemas"];

export type PastSession = Schemas["PastSession"];
/** A later daemon may name kinds that this page does not know. */
export type TrustItem = Omit<Schemas["FolderItem"], "kind"> & {
  kind: Schemas["FolderItemKind"] | (string & {});
};
export type TrustFolder = Omit<Schemas["FolderTrust"], "items"> & { items: TrustItem[] };
export type OfferedRule = Schemas["OfferedRule"];
export type ChangeKind = Schemas["ChangeKind"];
export type FileList = Schemas["FileList"];
export type FileDiff = Schemas["FileDiff"];
export type Diff = Schemas["Diff"];
export type ReviewComment = Schemas["ReviewComment"];
export type SearchHit = Schemas["SearchHit"];
export type UsageItem = Schemas["UsageItem"];
export type RuleDecision = Schemas["RuleDecision"];
export type Rule = Schemas["Rule"];
/** A past request and what a rule would have said to it. */
export type Tried = Schemas["RuleTried"];
/** A request and how it was answered. */
export type PastApproval = Schemas["PastApproval"];
export type AccessScope = Schemas["AccessScope"];
export type Device = Schemas["Device"];
export type OneTimeLink = Schemas["LinkAnswer"];
export type Share = Schemas["ShareAnswer"];
export type Status = Schemas["Status"];
