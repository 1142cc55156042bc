// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import Synchronization

/// Puts every edge (a press or a release) of the panel's buttons into a ring, with what the panel takes it for.
/// `MeasuringPlan` makes it where the configuration has the measure `buttons`.
///
/// The meaning is that of the same `GestureRecogniser` by which the panel understands presses, so a
/// hold has it at its release and an immediate button at its press; repetitions of a held button
/// are counted at its release. Where a release waits for a finger that trembles
/// (`HoldTimes.bridge`) it has the meaning that holds if none follows; of several releases of one
/// press the last one is right. Called on the input thread, which is the ring's producer.
final class ButtonTap: Sendable {
    /// In seconds. `gpio-keys` stamps a contact when it has come to rest, 5 ms by default
    /// (devicetree/bindings/input/gpio-keys.yaml); lines are stamped at the first contact.
    static let stampError = 0.01

    /// The numbers in the channel `edge` are places here; a hum is what no finger does (`forward(_:)`).
    private static let edges = ["up", "down", "hum"]
    /// Words of gestures; the numbers in the ring are places here, and tasks follow.
    private static let gestures: [(Gesture, String)] = [
        (.previous, "previous"), (.next, "next"), (.select, "select"), (.undo, "undo"), (.menu, "menu"),
        (.cancel, "cancel"),
    ]

    let ring: FrameRing<VectorFrame>
    let source: SourceDescription
    private let words: [Gesture: Int32]
    /// The place of the event marker's word.
    private let marker: Int32
    private let recogniser: Mutex<GestureRecogniser>
    private let bridge: Duration

    init(_ panel: Panel, location: String) {
        var words: [Gesture: Int32] = [:]
        var texts = [""]
        let tasks = panel.buttons.compactMap { button -> (Gesture, String)? in
            guard case .task(let key) = button.role else { return nil }
            return (.task(key), "task \(key)")
        }
        for (gesture, text) in Self.gestures + tasks {
            words[gesture] = Int32(texts.count)
            texts.append(text)
        }
        self.words = words
        marker = Int32(texts.count)
        texts.append("marker")
        var source = SourceDescription(
            kind: .buttons, device: "panel", location: location,
            channels: ["button", "edge", "meaning", "repeats"].map { Channel(name: $0, unit: .text, scale: 1) },
            nominalRate: 0, fullScale: 0)
        source.valueNames = [panel.buttons.map(\.name), Self.edges, texts]
        source.stampError = Self.stampError
        self.source = source
        recogniser = Mutex(GestureRecogniser(panel))
        bridge = panel.holdTimes.bridge
        ring = FrameRing(capacity: 4096, repeating: VectorFrame(values: .zero, count: 4))
    }

    /// One row for all that a line did in a minute that no finger can do; their number replaces the
    /// repetitions.
    func forward(_ hum: ButtonHum) {
        var values = SIMD8<Int32>()
        (values[0], values[1], values[3]) = (Int32(hum.button), 2, Int32(clamping: hum.edges))
        ring.push(VectorFrame(values: values, count: 4, time: hum.time, isStamped: true))
    }

    func forward(_ edge: ButtonEdge) {
        let event = ButtonEvent(button: edge.button, isPressed: edge.isPressed, time: edge.time)
        let recognised: [GestureRecogniser.Recognised] = recogniser.withLock { recogniser in
            // An earlier release has its meaning in its own row already: the recogniser only moves on.
            if recogniser.isLetGo { _ = recogniser.tick(at: event.time) }
            // What another button is held for goes into the row of its own release.
            let held = recogniser.held == event.button ? recogniser.tick(at: event.time) : []
            let recognised = held + recogniser.handle(event)
            guard recogniser.isLetGo, recogniser.held == event.button else { return recognised }
            // On a copy: what the release means if no press follows within `bridge`.
            var left = recogniser
            return recognised + left.tick(at: event.time + bridge)
        }
        var values = SIMD8<Int32>()
        (values[0], values[1]) = (Int32(edge.button), edge.isPressed ? 1 : 0)
        for case .gesture(let gesture, let repeats) in recognised {
            (values[2], values[3]) = (words[gesture] ?? 0, max(values[3], Int32(clamping: repeats)))
        }
        if recognised.contains(where: { if case .marked = $0 { true } else { false } }) { values[2] = marker }
        ring.push(
            VectorFrame(
                values: values, count: 4, time: edge.time, isStamped: true,
                lostBefore: UInt32(clamping: edge.missedBefore),
                reason: edge.missedBefore > 0 ? .inputOverrun : nil))
    }
}
