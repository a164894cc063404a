import Dispatch
import Streams

extension Trial {
    func observing() async {
        await expect("handleEvents", calls: 6, values: 3) { tally in
            source.handleEvents(
                receiveSubscription: { _ in tally.mark(()) },
                receiveOutput: { _ in tally.mark(()) },
                receiveCompletion: { _ in tally.mark(()) },
                receiveCancel: { tally.mark(()) },
                receiveRequest: { _ in tally.mark(()) }
            )
        }
        await expect("breakpoint", calls: 5, values: 3) { tally in
            source.breakpoint(
                receiveSubscription: { _ in tally.mark(false) },
                receiveOutput: { _ in tally.mark(false) },
                receiveCompletion: { _ in tally.mark(false) }
            )
        }
        let entries = Tally()
        let observation = StreamLog.observe { _ in entries.mark(()) }
        await expect("checkpoint", calls: 0, values: 3) { _ in
            source.checkpoint("observed")
        }
        observation.cancel()
        expect("StreamLog.observe", calls: 1, values: 0, counted: min(entries.count, 1), 0)
    }

    func scheduling() async {
        let tally = Tally()
        let queue = DispatchQueue(label: "work")
        await withCheckedContinuation { (over: CheckedContinuation<Void, Never>) in
            queue.schedule { tally.mark(()) }
            queue.schedule(after: queue.now) {
                tally.mark(())
                over.resume()
            }
        }
        expect("schedule", calls: 2, values: 0, counted: tally.count, 0)
    }
}
