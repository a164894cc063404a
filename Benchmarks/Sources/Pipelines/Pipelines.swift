import Measuring

/// All pipelines of this library.
public let pipelines: [Pipeline] =
    sequencePipelines + chainPipelines + subjectPipelines + combiningPipelines + flatteningPipelines + sharingPipelines
    + gatheringPipelines + failingPipelines + threadingPipelines + subscribingPipelines + compositePipelines
