// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SystemKit

/// A sensor behind a driver of the kernel, for tests: the folder that Industrial I/O shows in sysfs and, in the
/// place of its device file, a named pipe. The real code sets the attributes and reads the scans.
///
/// Modelled: names, scales, rates, mounting, the scan's elements with their order, padding and byte
/// order, the clock of the time stamps, a trigger that must be chosen, a buffer that is empty
/// at each start and that drops samples silently when they are not read, unplugging and coming back
/// under another number, a thermometer, in the scans or beside them, refused while the buffer runs
/// or not. Not modelled: refusals of other attributes that are busy. Served by a test or a
/// `SteppedThread`; used by one thread only.
package final class SimulatedIIODevice: PolledDevice {
    package private(set) var due: MonotonicTime
    /// Where the real code looks for devices.
    package let root: IIODevice.Root
    /// Samples that the buffer had no room for.
    package private(set) var dropped = 0
    package private(set) var taken = 0

    /// F_SETPIPE_SZ of fcntl(2), which Swift does not see.
    private static let setPipeSize: CInt = 1031

    private let folder: TemporaryFolder
    private let model: Model
    /// `iio:device0`.
    private var node = ""
    /// Nil while it is unplugged.
    private var pipe: Line?
    /// The buffer was enabled at the last `serve`.
    private var isRunning = false

    /// A device plugged in at `start`, in a new folder that goes with this object.
    package init(_ model: Model, number: Int = 0, start: MonotonicTime = .zero) throws {
        folder = try TemporaryFolder("iio")
        root = IIODevice.Root(devices: "\(folder.path)/devices", files: "\(folder.path)/dev")
        self.model = model
        due = start
        for path in [root.devices, root.files] { try File.makeFolder(path) }
        try plug(number: number)
    }

    /// The text of an attribute, for instance `buffer/enable`; empty when it is not there.
    package func attribute(_ name: String) -> String {
        (try? AttributeFolder(path: "\(root.devices)/\(node)").read(name)) ?? ""
    }

    /// Plugs it in, under that number.
    package func plug(number: Int) throws {
        node = "iio:device\(number)"
        let path = "\(root.devices)/\(node)"
        for part in folders { try File.makeFolder(path + part) }
        for (name, text) in attributes { try Self.write(text, to: "\(path)/\(name)") }
        if model.needsTrigger {
            try File.makeFolder("\(root.devices)/trigger0")
            try Self.write("\(model.name)-trigger", to: "\(root.devices)/trigger0/name")
        }
        let file = "\(root.files)/\(node)"
        guard mkfifo(file, 0o600) == 0 else { throw SystemError.last("make", file) }
        pipe = Line(try Descriptor(opening: file, flags: O_RDWR | O_NONBLOCK))
    }

    /// Pulls it out: its files are gone, and a reader that still has it open finds the end.
    package func unplug() {
        pipe = nil
        isRunning = false
        unlink("\(root.files)/\(node)")
        let path = "\(root.devices)/\(node)"
        for (name, _) in attributes { unlink("\(path)/\(name)") }
        for part in folders.reversed() { rmdir(path + part) }
        unlink("\(root.devices)/trigger0/name")
        rmdir("\(root.devices)/trigger0")
    }

    private var folders: [String] { model.hasBuffer ? ["", "/scan_elements", "/buffer", "/trigger"] : [""] }

    /// Takes every sample that is due by now, at its own time. What is shown of a device that is unplugged goes
    /// nowhere: its folder is gone.
    package func serve(at now: MonotonicTime) {
        showTemperature(at: now)
        guard model.hasBuffer else { return showValues(at: now) }
        let isEnabled = pipe != nil && attribute("buffer/enable") == "1" && isTriggered
        if isEnabled, !isRunning {
            empty()
            due = now + model.startUp + period
        }
        isRunning = isEnabled
        guard isEnabled else {
            due = now + .milliseconds(1)
            return
        }
        while due <= now {
            send(at: due)
            due = due + period
        }
    }

    /// What a read of the thermometer would measure now.
    private func showTemperature(at now: MonotonicTime) {
        guard let thermometer = model.thermometer else { return }
        let path = "\(root.devices)/\(node)/\(thermometer.name)"
        if thermometer.isBusy, attribute("buffer/enable") == "1" {
            unlink(path)
        } else {
            try? Self.write("\(thermometer.counts(at: now))", to: path)
        }
    }

    /// What a read of the attributes would measure now.
    private func showValues(at now: MonotonicTime) {
        due = now + .milliseconds(10)
        for sensor in model.sensors {
            let counts = sensor.signal(now) / sensor.scale
            for (axis, name) in ["x", "y", "z"].enumerated() {
                let path = "\(root.devices)/\(node)/in_\(sensor.kind)_\(name)_raw"
                try? Self.write("\(Int(counts[axis].rounded()))", to: path)
            }
        }
    }

    private var isTriggered: Bool {
        !model.needsTrigger || attribute("trigger/current_trigger") == "\(model.name)-trigger"
    }

    private var period: Duration {
        let rate = Double(attribute("sampling_frequency")) ?? model.rate
        return .nanoseconds(Int64(1e9 / (rate * (1 + model.rateError))))
    }

    private func send(at moment: MonotonicTime) {
        taken += 1
        let scan = scan(at: moment)
        guard let pipe, !scan.isEmpty else { return }
        let size = max(1, Int(attribute("buffer/length")) ?? 1) * scan.count
        _ = fcntl(pipe.end.rawValue, Self.setPipeSize, CInt(clamping: size))
        if Glibc.write(pipe.end.rawValue, scan, scan.count) <= 0 { dropped += 1 }
    }

    /// Values of the enabled channels, each at a multiple of its size; gaps are filled with 0xEE, which no
    /// reader should see.
    private func scan(at moment: MonotonicTime) -> [UInt8] {
        var scan: [UInt8] = []
        var largest = 1
        func append(_ value: Int64, bytes: Int, isBigEndian: Bool) {
            while scan.count % bytes != 0 { scan.append(0xEE) }
            let low = (0..<bytes).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
            scan += isBigEndian ? low.reversed() : low
            largest = max(largest, bytes)
        }
        guard let type = IIOSampleType(model.type) else { return [] }
        for sensor in model.sensors {
            let vector = sensor.signal(moment)
            let scale = Double(attribute("in_\(sensor.kind)_scale")) ?? sensor.scale
            for (axis, name) in ["x", "y", "z"].enumerated()
            where attribute("scan_elements/in_\(sensor.kind)_\(name)_en") == "1" {
                let end = Double(Int64(1) << Int64(type.bits - 1))
                let count = Int64(min(max((vector[axis] / scale).rounded(), -end), end - 1))
                append(count << Int64(type.shift), bytes: type.bytes, isBigEndian: type.isBigEndian)
            }
        }
        if let thermometer = model.thermometer, attribute("scan_elements/in_temp_en") == "1" {
            append(thermometer.counts(at: moment), bytes: 2, isBigEndian: true)
        }
        if attribute("scan_elements/in_timestamp_en") == "1" {
            let isMonotonic = attribute("current_timestamp_clock") == "monotonic"
            // Its wall clock is simply that far ahead of the monotonic one.
            append(moment.nanoseconds + (isMonotonic ? 0 : 1_700_000_000_000_000_000), bytes: 8, isBigEndian: false)
        }
        while scan.count % largest != 0 { scan.append(0xEE) }
        return scan
    }

    /// Throws away what is left in the buffer from before: the kernel's loses it when it stops.
    private func empty() {
        guard let pipe else { return }
        var bytes = [UInt8](repeating: 0, count: 4096)
        while Glibc.read(pipe.end.rawValue, &bytes, bytes.count) > 0 {}
    }

    private var attributes: [(String, String)] {
        guard model.hasBuffer else { return plainAttributes }
        var all = [
            ("name", model.name), ("sampling_frequency", "\(model.rate)"),
            ("sampling_frequency_available", "10.0 50.0 100.0 400.0"),
            ("in_mount_matrix", "0, 1, 0; -1, 0, 0; 0, 0, 1"), ("buffer/enable", "0"), ("buffer/length", "2"),
            ("buffer/watermark", "1"), ("scan_elements/in_timestamp_en", "0"),
            ("scan_elements/in_timestamp_index", "\(3 * model.sensors.count + 1)"),
            ("scan_elements/in_timestamp_type", "le:s64/64>>0"),
        ]
        if !model.label.isEmpty { all.append(("label", model.label)) }
        if model.needsTrigger { all.append(("trigger/current_trigger", "")) }
        if model.hasClockChoice { all.append(("current_timestamp_clock", "realtime")) }
        all += thermometerAttributes
        for (place, sensor) in model.sensors.enumerated() {
            all.append(("in_\(sensor.kind)_scale", "\(sensor.scale)"))
            all.append(
                ("in_\(sensor.kind)_scale_available", [1, 2, 4].map { "\(sensor.scale * $0)" }.joined(separator: " ")))
            for (axis, name) in ["x", "y", "z"].enumerated() {
                let element = "scan_elements/in_\(sensor.kind)_\(name)"
                all += [
                    ("\(element)_en", "0"), ("\(element)_index", "\(3 * place + axis)"),
                    ("\(element)_type", model.type),
                ]
            }
        }
        return all
    }

    private var thermometerAttributes: [(String, String)] {
        guard let thermometer = model.thermometer else { return [] }
        var all = [(thermometer.name, "\(thermometer.counts(at: .zero))")]
        if !thermometer.isProcessed {
            all += [("in_temp_offset", "\(thermometer.offset)"), ("in_temp_scale", "\(thermometer.scale)")]
        }
        if thermometer.isScanned, model.hasBuffer {
            let element = "scan_elements/in_temp"
            all += [
                ("\(element)_en", "0"), ("\(element)_index", "\(3 * model.sensors.count)"),
                ("\(element)_type", "be:s16/16>>0"),
            ]
        }
        return all
    }

    private var plainAttributes: [(String, String)] {
        [("name", model.name)] + thermometerAttributes
            + model.sensors.flatMap { sensor in
                [("in_\(sensor.kind)_scale", "\(sensor.scale)")]
                    + ["x", "y", "z"].map { ("in_\(sensor.kind)_\($0)_raw", "0") }
            }
    }

    private static func write(_ text: String, to path: String) throws(SystemError) {
        try Descriptor(opening: path, flags: O_WRONLY | O_CREAT | O_TRUNC).write(Array("\(text)\n".utf8))
    }
}

/// The end of the pipe that the kernel's driver would write to.
private final class Line {
    let end: Descriptor
    init(_ end: consuming Descriptor) { self.end = end }
}

extension SimulatedIIODevice {
    package struct Sensor: Sendable {
        /// `accel`, `anglvel`, `magn`.
        package let kind: String
        /// Units of IIO per count: m/s², rad/s, gauss.
        package let scale: Double
        /// What it feels, in those units.
        package let signal: Signal

        package init(kind: String, scale: Double, signal: @escaping Signal) {
            self.kind = kind
            self.scale = scale
            self.signal = signal
        }
    }

    /// How the driver reports the chip's temperature.
    package struct Thermometer: Sendable {
        /// Added to the counts.
        package let offset: Double
        /// Thousandths of a degree Celsius per count.
        package let scale: Double
        /// It is an element of the scans.
        package var isScanned = false
        /// Its attribute cannot be read while the buffer runs (EBUSY of
        /// `iio_device_claim_direct_mode`; here it is not there).
        package var isBusy = false
        /// It gives thousandths of a degree itself, in `in_temp_input`.
        package var isProcessed = false
        /// Degrees Celsius at a moment.
        private var degrees: @Sendable (MonotonicTime) -> Double

        package init(offset: Double, scale: Double, degrees: @escaping @Sendable (MonotonicTime) -> Double) {
            (self.offset, self.scale, self.degrees) = (offset, scale, degrees)
        }

        func counts(at moment: MonotonicTime) -> Int64 {
            let milli = degrees(moment) * 1000
            return Int64((isProcessed ? milli : milli / scale - offset).rounded())
        }

        var name: String { isProcessed ? "in_temp_input" : "in_temp_raw" }
    }

    /// Which device it is: its name, channels and what its driver offers.
    package struct Model: Sendable {
        /// The driver's name for it.
        package var name: String
        /// The device tree's name for it; empty without one.
        package var label = ""
        /// In the order of the scan.
        package var sensors: [Sensor]
        /// The `type` of every channel.
        package var type = "le:s16/16>>0"
        /// Samples per second after power-on.
        package var rate = 100.0
        /// It measures only with a separate trigger.
        package var needsTrigger = false
        /// The clock of its time stamps can be chosen; otherwise it is the wall clock.
        package var hasClockChoice = true
        /// Its driver has a buffer; otherwise it is read attribute by attribute.
        package var hasBuffer = true
        /// Relative error of its rate.
        package var rateError = 0.0
        package var thermometer: Thermometer?
        /// From each start of its buffer until it measures; its first sample comes a period later.
        package var startUp = Duration.zero

        package init(name: String, sensors: [Sensor]) {
            self.name = name
            self.sensors = sensors
        }
    }
}
