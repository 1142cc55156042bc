// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Joins QEMU's socket, the test's socket and the chips. One thread, one loop.
final class AdapterServer {
    private let usb: UnixSocket
    private let control: UnixSocket
    private var bench: ChipBench
    private var device = RedirDevice()
    private var stream = RedirStream()
    private var lines: [UInt8] = []
    /// Whether the adapter is in its socket when QEMU connects.
    private var isInserted = true

    init(usb: String, control: String, bench: ChipBench) throws(AdapterError) {
        self.usb = try UnixSocket(usb)
        self.control = try UnixSocket(control)
        self.bench = bench
    }

    /// Serves until the process is ended.
    func run() {
        while true {
            var polled = usb.polled + control.polled
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
            if polled[1].revents != 0 { serveUSB() }
            if polled[3].revents != 0 { serveControl() }
            if polled[0].revents != 0 { greet() }
            if polled[2].revents != 0 {
                control.accept()
                lines = []
            }
        }
    }

    private func greet() {
        usb.accept()
        device = RedirDevice()
        stream = RedirStream()
        send([RedirDevice.hello])
    }

    private func send(_ packets: [RedirPacket]) { for packet in packets { usb.send(stream.bytes(of: packet)) } }

    private func serveUSB() {
        guard let bytes = usb.receive() else { return }
        stream.append(bytes)
        do throws(AdapterError) {
            while let packet = try stream.next() { handle(packet) }
        } catch {
            complain("\(error); connection closed")
            usb.hangUp()
        }
    }

    private func handle(_ packet: RedirPacket) {
        send(device.answer(packet) { address, data, count in bench.message(address, data, count) })
        guard packet.kind == .hello else { return }
        stream.hasWideIDs = device.hasWideIDs
        if isInserted { send(device.plug()) }
    }

    private func serveControl() {
        guard let bytes = control.receive() else { return }
        lines += bytes
        while let end = lines.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: lines[..<end], as: UTF8.self)
            lines.removeFirst(end + 1)
            control.send(Array((obey(line) + "\n").utf8))
        }
        if lines.count > 1000 { control.hangUp() }
    }

    private func obey(_ line: String) -> String {
        do throws(AdapterError) {
            switch try Operator(line) {
            case .unplug:
                isInserted = false
                send(device.unplug())
            case .plug:
                if !isInserted { bench.powerCycle() }
                isInserted = true
                send(device.plug())
            case .silence(let address): bench.silence(address)
            case .wake(let address): bench.wake(address)
            case .power(let address): bench.powerCycle(address)
            case .stall(let isOn): bench.stall(isOn)
            case .turns: return "ok \(bench.turns)"
            case .fit(let chips): try bench.fit(chips)
            case .count: return "ok \(bench.messages)"
            }
            return "ok"
        } catch {
            return "error \(error)"
        }
    }
}

/// One line to standard error.
func complain(_ text: String) {
    let line = Array("usb-i2c-adapter: \(text)\n".utf8)
    _ = write(2, line, line.count)
}
