export {};
//# sourceMappingURL=custom-value.js.map