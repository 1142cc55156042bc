// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization
import SystemKit

/// The thread of what people and receivers send: buttons and serial lines, on one event loop. `MeasuringSystem`
/// has one.
///
/// Presses are handed over at once on this thread, so `onEdge` and `onHum` must only post. Edges
/// that no finger can have made are kept back (`HumFilter`). A button source that goes away for good
/// is given up and counted; one that comes back by itself is named while it is away; a serial line
/// is opened again.
package final class InputThread: ThreadOwner {
    package let worker: WorkerThread
    private let trouble: ButtonTrouble

    /// Starts at once; the sources belong to the thread from now on.
    package init(
        name: String, buttons: sending [any ButtonSource], lines: sending [SerialReader], clock: any StudyClock,
        priority: Int? = nil, onHum: @escaping @Sendable (ButtonHum) -> Void = { _ in },
        onEdge: @escaping @Sendable (ButtonEdge) -> Void
    ) throws(SystemError) {
        let waker = try Waker()
        let trouble = ButtonTrouble()
        let inputs = Inputs(buttons: buttons, lines: lines, trouble: trouble, onEdge: onEdge, onHum: onHum)
        let loop = try EventLoop(clock: clock, waker: waker)
        self.trouble = trouble
        worker = try WorkerThread(name: name, waker: waker, priority: priority) { inputs.run(on: loop) }
    }

    /// Why button sources are not there: those that were given up, in order, and those that are
    /// away now but may come back.
    package var lostButtons: [any Error] {
        trouble.lost.withLock { $0.map { $0 as any Error } }
            + trouble.away.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// Buttons with edges that no finger can have made (`HumFilter`), and since when.
    package var humming: [ButtonHum] { trouble.humming.withLock { $0 } }
}

/// What is wrong with the buttons. Held by the handle and its thread.
private final class ButtonTrouble: Sendable {
    let lost = Mutex<[SystemError]>([])
    /// By the descriptor of the source.
    let away = Mutex<[CInt: any Error]>([:])
    let humming = Mutex<[ButtonHum]>([])

    func add(_ fault: SystemError) { lost.withLock { $0.append(fault) } }
}

/// Owned by the input thread alone.
private final class Inputs {
    private let buttons: [any ButtonSource]
    private let lines: [SerialReader]
    private let trouble: ButtonTrouble
    private let onEdge: @Sendable (ButtonEdge) -> Void
    private let onHum: @Sendable (ButtonHum) -> Void
    private var hum = HumFilter()

    init(
        buttons: [any ButtonSource], lines: [SerialReader], trouble: ButtonTrouble,
        onEdge: @escaping @Sendable (ButtonEdge) -> Void, onHum: @escaping @Sendable (ButtonHum) -> Void
    ) {
        self.buttons = buttons
        self.lines = lines
        self.trouble = trouble
        self.onEdge = onEdge
        self.onHum = onHum
    }

    func run(on loop: EventLoop) {
        for source in buttons {
            watch(source, loop)
            noteFault(of: source)
        }
        for line in lines { watch(line, loop, at: loop.now) }
        loop.onAlarm = { [unowned loop] now in self.alarm(loop, now) }
        setAlarm(loop)
        loop.run()
        loop.onAlarm = nil
    }

    private func watch(_ source: any ButtonSource, _ loop: EventLoop) {
        let descriptor = source.descriptor
        do throws(SystemError) {
            try loop.watch(descriptor) { [unowned loop] _ in self.read(source, descriptor, loop) }
        } catch { trouble.add(error) }
    }

    private func read(_ source: any ButtonSource, _ descriptor: CInt, _ loop: EventLoop) {
        do throws(SystemError) {
            handOn(try source.read())
            noteFault(of: source)
        } catch {
            loop.unwatch(descriptor)
            trouble.add(error)
        }
        setAlarm(loop)
    }

    private func handOn(_ edges: [ButtonEdge]) {
        let before = hum.humming.count
        for edge in edges where hum.admit(edge) { onEdge(edge) }
        if hum.humming.count != before { trouble.humming.withLock { $0 = hum.humming } }
    }

    /// Copies the source's fault into `lostButtons`; a fault of nil removes the source from it.
    private func noteFault(of source: any ButtonSource) {
        let (descriptor, fault) = (source.descriptor, source.fault)
        trouble.away.withLock { $0[descriptor] = fault }
    }

    private func watch(_ line: SerialReader, _ loop: EventLoop, at now: MonotonicTime) {
        guard let descriptor = line.descriptor else { return }
        let watched: Void? = try? loop.watch(descriptor) { [unowned loop] now in
            // False: the line is gone, and `SerialReader` opens it again when it is `due`.
            if line.drain(at: now) {
                if line.due != nil { self.setAlarm(loop) }
                return
            }
            loop.unwatch(descriptor)
            line.close(at: now)
            self.setAlarm(loop)
        }
        if watched == nil { line.close(at: now) }
    }

    private func alarm(_ loop: EventLoop, _ now: MonotonicTime) {
        for source in buttons {
            handOn(source.settle(at: now))
            noteFault(of: source)
        }
        let reports = hum.settle(at: now)
        reports.forEach(onHum)
        if !reports.isEmpty { trouble.humming.withLock { $0 = hum.humming } }
        for line in lines {
            if let due = line.due, due <= now, line.serve(at: now) { watch(line, loop, at: now) }
        }
        setAlarm(loop)
    }

    private func setAlarm(_ loop: EventLoop) {
        loop.setAlarm((buttons.compactMap(\.due) + lines.compactMap(\.due) + [hum.due].compactMap(\.self)).min())
    }
}
