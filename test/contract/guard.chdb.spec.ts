import { guardContract } from './guard.contract.js';
import { openGuardedEngine } from './guarded-engine.js';

guardContract('chDB', () => openGuardedEngine());
