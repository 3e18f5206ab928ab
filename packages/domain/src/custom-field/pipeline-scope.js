/** Whether a field applies to a pipeline. If `pipelineId` is null, every field applies. */
export const appliesToPipeline = (definition, pipelineId) => pipelineId === null || definition.pipelineIds === null || definition.pipelineIds.includes(pipelineId);
//# sourceMappingURL=pipeline-scope.js.map