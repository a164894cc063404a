import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

let trial = Trial()
Task {
    try await Task.sleep(for: .seconds(20))
    print("\(trial.current) does not end")
    exit(1)
}

await trial.transforming()
await trial.flattening()
await trial.filtering()
await trial.cutting()
await trial.reducing()
await trial.combining()
await trial.failing()
await trial.observing()
await trial.scheduling()
await trial.producing()
await trial.awaiting()
await trial.subscribing()
await trial.modelling()
for complaint in trial.complaints { print(complaint) }
print("\(trial.trials) pipelines of the main actor ran elsewhere, \(trial.complaints.count) of them wrong")
exit(trial.complaints.isEmpty ? 0 : 1)
