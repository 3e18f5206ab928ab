// Imported before test files, whose hooks then run after those of the validators.
import { useValidators } from './document-validators.js';

useValidators();
