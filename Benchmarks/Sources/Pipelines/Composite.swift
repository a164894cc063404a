import Measuring

#if OPENCOMBINE
import OpenCombine
#else
import Streams
#endif

private struct Reading: Sendable {
    let sensor: Int
    let value: Int
}

let compositePipelines = [
    // Readings of sensors are cleaned, smoothed and shared. One subscriber finds peaks, the other one keeps the
    // newest.
    Pipeline("composite: readings of sensors", count: 100_000) { count, sum in
        let readings = PassthroughSubject<Reading, Never>()
        let limit = CurrentValueSubject<Int, Never>(0)
        let smoothed =
            readings
            .filter { $0.sensor != 3 }
            .map { $0.value &* 9 / 5 &+ 32 }
            .removeDuplicates()
            .scan(0) { ($0 &* 7 &+ $1) / 8 }
            .share()
        let peaks =
            smoothed
            .tryMap { $0 & 1023 }
            .replaceError(with: 0)
            .filter { $0 > 900 }
            .flatMap { Just($0) }
            .eraseToAnyPublisher()
            .sink { sum.addInAnyOrder($0) }
        let newest = smoothed.compactMap { $0 > 0 ? $0 : nil }.sink { limit.send($0) }
        let shown = limit.dropFirst().map { $0 >> 2 }.removeDuplicates().sink { sum.addInAnyOrder($0) }
        for value in 0..<count { readings.send(Reading(sensor: value & 7, value: value)) }
        for subscription in [peaks, newest, shown] { subscription.cancel() }
    }
]
