// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import SystemKit

/// A sensor that a driver of the kernel serves through Industrial I/O: its folder in sysfs and
/// its device file.
///
/// Names and meanings from the kernel's Documentation/ABI/testing/sysfs-bus-iio. `IIOSensor` reads from it what
/// can be measured. Nothing is written before `IIOBuffer` is opened.
package struct IIODevice: Sendable, Hashable {
    /// Where the kernel shows such devices.
    package struct Root: Sendable, Hashable {
        /// Folders `iio:device0`, `trigger0`.
        package let devices: String
        /// Device files `iio:device0`.
        package let files: String

        /// The kernel's own places, or those of a test.
        package init(devices: String = "/sys/bus/iio/devices", files: String = "/dev") {
            self.devices = devices
            self.files = files
        }
    }

    /// One channel that its buffer can carry.
    package struct Channel: Sendable, Hashable {
        /// Without `in_`: `accel_x`, `timestamp`.
        package let name: String
        package let index: Int
        package let type: IIOSampleType
    }

    /// What the driver calls the chip: `lis3dh`, `lsm6dso_accel`. Several devices
    /// may have the same.
    package let name: String
    /// What the device tree calls it; empty without one.
    private let label: String
    /// `iio:device0`. The number may be another one after the driver was bound again.
    package let node: String
    package let root: Root

    package var folder: AttributeFolder { AttributeFolder(path: "\(root.devices)/\(node)") }
    package var file: String { "\(root.files)/\(node)" }

    /// All devices, by their numbers; empty where the kernel has none.
    package static func all(in root: Root = Root()) -> [IIODevice] {
        names(in: root.devices, prefix: "iio:device").compactMap { IIODevice(node: $0, root: root) }
    }

    /// The device of that node, label or name, the first that fits in this order. Throws ENODEV.
    package static func find(_ wanted: String, in root: Root = Root()) throws(SystemError) -> IIODevice {
        let devices = all(in: root)
        for key in [\IIODevice.node, \IIODevice.label, \IIODevice.name] {
            if let found = devices.first(where: { $0[keyPath: key] == wanted }) { return found }
        }
        let known = devices.map { $0.label.isEmpty ? $0.name : $0.label }.joined(separator: ", ")
        throw SystemError(
            code: ENODEV, operation: "find IIO device \(wanted) in", place: "\(root.devices) (there: \(known))")
    }

    package init?(node: String, root: Root = Root()) {
        self.node = node
        self.root = root
        let folder = AttributeFolder(path: "\(root.devices)/\(node)")
        guard let name = try? folder.read("name") else { return nil }
        self.name = name
        label = (try? folder.read("label")) ?? ""
    }

    /// The channels of its buffer, by index; empty for a device without one.
    package var channels: [Channel] {
        let elements = AttributeFolder(path: "\(folder.path)/scan_elements")
        let names = Self.names(in: elements.path, prefix: "in_").filter { $0.hasSuffix("_index") }
        return names.compactMap { file -> Channel? in
            let name = file.dropFirst(3).dropLast(6)
            guard let index = (try? elements.read(file)).flatMap({ Int($0) }),
                let type = (try? elements.read("in_\(name)_type")).flatMap({ IIOSampleType($0) })
            else { return nil }
            return Channel(name: String(name), index: index, type: type)
        }.sorted { $0.index < $1.index }
    }

    /// Reads a channel once, now: `in_accel_x_raw`. For devices without a buffer.
    package func raw(_ channel: String) throws(SystemError) -> Int32 {
        let text = try folder.read("in_\(channel)_raw")
        guard let value = Int32(text) else {
            throw SystemError(code: EIO, operation: "read a number from", place: "\(folder.path)/in_\(channel)_raw")
        }
        return value
    }

    /// A number of a channel, or of its whole kind: `in_accel_x_scale`, else `in_accel_scale`. nil
    /// where there is neither.
    package func number(_ attribute: String, of channel: String) -> Double? {
        let kind = channel.split(separator: "_").first.map(String.init) ?? channel
        for name in ["in_\(channel)_\(attribute)", "in_\(kind)_\(attribute)"] {
            if let text = try? folder.read(name), let value = Double(text), value.isFinite { return value }
        }
        return nil
    }

    /// Its thermometer, by the names of the ABI: `in_temp_input` in thousandths of a degree
    /// Celsius, or `in_temp_raw`, `in_temp_offset` and `in_temp_scale`, which give the same. nil
    /// without one, and where a step would be less than a thousandth of a degree: no chip is that
    /// fine, so that driver means something else (bmc150-accel says 0.5, and an offset that fits
    /// half-degrees no better).
    package var thermometer: IIOThermometer? {
        let isScanned = channels.contains { $0.name == "temp" }
        if folder.has("in_temp_input"), !isScanned { return IIOThermometer(attribute: "in_temp_input") }
        guard isScanned || folder.has("in_temp_raw"), let scale = number("scale", of: "temp"), abs(scale) >= 1 else {
            return nil
        }
        return IIOThermometer(
            attribute: "in_temp_raw", offset: number("offset", of: "temp") ?? 0, scale: scale, isScanned: isScanned)
    }

    /// What the thermometer says now. Throws EBUSY where the driver answers only while
    /// its buffer is off.
    package func temperature(_ thermometer: IIOThermometer) throws(SystemError) -> Double? {
        try thermometer.degrees(text: folder.read(thermometer.attribute))
    }

    /// The attribute that sets samples per second for that kind of channel: its own, else the
    /// device's; nil where neither exists.
    package func rateAttribute(of kind: String) -> String? {
        ["in_\(kind)_sampling_frequency", "sampling_frequency"].first(where: folder.has)
    }

    /// The numbers that an attribute can be set to, from its `_available`; empty where there is none,
    /// or a range.
    package func available(_ attribute: String) -> [Double] {
        let text = (try? folder.read("\(attribute)_available")) ?? ""
        return text.hasPrefix("[") ? [] : text.split(separator: " ").compactMap { Double($0) }
    }

    /// How the chip is mounted, as the device tree says: three rows by which a vector of the chip
    /// becomes one of the device. It is not applied to samples. nil where there is none.
    package func mountMatrix(of kind: String) -> [[Double]]? {
        for name in ["in_\(kind)_mount_matrix", "in_mount_matrix", "mount_matrix"] {
            guard let text = try? folder.read(name) else { continue }
            let rows = text.split(separator: ";").map { row in
                row.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) }
            }
            if rows.count == 3, rows.allSatisfy({ $0.count == 3 }) { return rows }
        }
        return nil
    }

    /// Entries of a folder that begin so, shorter names first and then by text, so that `iio:device2` comes before
    /// `iio:device10`; empty when it cannot be read.
    static func names(in path: String, prefix: String) -> [String] {
        let names = (try? FolderListing.names(in: path, most: 1000) { $0.hasPrefix(prefix) }) ?? []
        return names.sorted { ($0.count, $0) < ($1.count, $1) }
    }
}
