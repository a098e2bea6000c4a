// @ts-check
// Landlock: the kernel's own fence around a process, asked for by system calls. Linux only.
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { DataType, load, open } from 'ffi-rs';

/** Rights below a folder, as the kernel numbers them: execute, read files and folders. */
const READ = 0b1101n;
/** The rights on a file that is no folder: execute, write, read, truncate. */
const OF_FILES = 0b111n | (1n << 14n);
const [CREATE_RULESET, ADD_RULE, RESTRICT_SELF] = [444, 445, 446];
const ASK_FOR_VERSION = 1;
const PATH_BENEATH = 1;
const CONNECT_TCP = 2n;
/** No connection to abstract sockets of others, no signal to others. */
const SCOPES = 3n;
const [NO_NEW_PRIVILEGES, PARENT_DEATH_SIGNAL, SIGKILL] = [38, 1, 9];
const O_PATH = 0x200000;
const SET_DESCRIPTOR_FLAGS = 2;

/** The number of rights for files that each version knows, from the first version on. */
const RIGHTS_OF_VERSION = [0, 13, 14, 15, 15, 16];
const VERSION_WITH_TCP = 4;
const VERSION_WITH_SCOPES = 6;

open({ library: 'c', path: 'libc.so.6' });

/** @param {number} number @param {...(number | Buffer)} args @returns {number} */
function syscall(number, ...args) {
  const types = args.map((arg) => (Buffer.isBuffer(arg) ? DataType.U8Array : DataType.I64));
  return Number(
    load({
      library: 'c',
      funcName: 'syscall',
      retType: DataType.I64,
      paramsType: [DataType.I64, ...types],
      paramsValue: [number, ...args],
    }),
  );
}

/** @param {number} option @param {number} value */
function prctl(option, value) {
  load({
    library: 'c',
    funcName: 'prctl',
    retType: DataType.I32,
    paramsType: Array.from({ length: 5 }, () => DataType.I64),
    paramsValue: [option, value, 0, 0, 0],
  });
}

/** This process is killed with the thread that started it. */
export function endWithParent() {
  prctl(PARENT_DEATH_SIGNAL, SIGKILL);
}

/**
 * From now on this thread, and every thread that it starts, may open nothing but what is named
 * here, and connects to no TCP port, where the kernel can see to that.
 * @param {{ readonly own: readonly string[], readonly read: readonly string[] }} folders
 * @returns {{ files: boolean, tcp: boolean }} what holds
 */
export function restrict({ own, read }) {
  const version = syscall(CREATE_RULESET, 0, 0, ASK_FOR_VERSION);
  if (version < 1) return { files: false, tcp: false };
  const rights = (1n << BigInt(RIGHTS_OF_VERSION[Math.min(version, 5)] ?? 13)) - 1n;
  const attributes = Buffer.alloc(24);
  attributes.writeBigUInt64LE(rights, 0);
  attributes.writeBigUInt64LE(CONNECT_TCP, 8);
  attributes.writeBigUInt64LE(SCOPES, 16);
  const size = version >= VERSION_WITH_SCOPES ? 24 : version >= VERSION_WITH_TCP ? 16 : 8;
  const ruleset = syscall(CREATE_RULESET, attributes, size, 0);
  if (ruleset < 0) return { files: false, tcp: false };
  for (const path of own) allow(ruleset, path, rights);
  for (const path of read) allow(ruleset, path, READ);
  prctl(NO_NEW_PRIVILEGES, 1);
  if (syscall(RESTRICT_SELF, ruleset, 0) !== 0) return { files: false, tcp: false };
  return { files: true, tcp: version >= VERSION_WITH_TCP };
}

/**
 * Another program takes this process's place, with its fence and these descriptors. Returns never.
 * @param {string} path @param {[string, string, string]} args @param {readonly number[]} descriptors
 */
export function becomeProgram(path, args, descriptors) {
  const { String: text, I32, I64 } = DataType;
  const named = { library: 'c', retType: I32 };
  // Node.js closes at such a moment what it was given.
  for (const each of descriptors)
    load({
      ...named,
      funcName: 'fcntl',
      paramsType: [I32, I32, I32],
      paramsValue: [each, SET_DESCRIPTOR_FLAGS, 0],
    });
  load({
    ...named,
    funcName: 'execl',
    paramsType: [text, text, text, text, I64],
    paramsValue: [path, ...args, 0],
  });
  throw new Error(`${path} could not be run`);
}

/** @param {number} ruleset @param {string} path @param {bigint} rights */
function allow(ruleset, path, rights) {
  if (!existsSync(path)) return;
  const rule = Buffer.alloc(12);
  rule.writeBigUInt64LE(statSync(path).isDirectory() ? rights : rights & OF_FILES, 0);
  const file = openSync(path, O_PATH);
  rule.writeInt32LE(file, 8);
  const failed = syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0) !== 0;
  closeSync(file);
  if (failed) throw new Error(`the kernel takes no rule for ${path}`);
}
