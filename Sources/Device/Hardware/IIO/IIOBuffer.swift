// SPDX-License-Identifier: Apache-2.0
import CLinux
import SystemKit

/// The running buffer of an IIO device: whole scans as the kernel took them, each with the time of its sample.
/// `IIOReader` reads it.
///
/// `init` sets the device up and starts it, `deinit` stops it. One program at a time has a
/// device's buffer. Lives on one thread. Works with every kernel from 4.7 on: buffers then have a
/// watermark, and the clock can be chosen.
package final class IIOBuffer {
    package struct Configuration: Sendable, Hashable {
        /// The channels that are wanted, without the time: `accel_x`.
        package var channels: [String]
        /// Attributes to be set before the start, in this order: rate, scale.
        package var attributes: [Attribute] = []
        /// Scans after which it becomes readable.
        package var watermark: Int
        /// Scans that the kernel keeps until they are read.
        package var length: Int

        package struct Attribute: Sendable, Hashable {
            /// `in_accel_scale`.
            package let name: String
            package let value: String
        }
    }

    /// Where the channels lie in a scan. Its element `timestamp`, where it has one, is CLOCK_MONOTONIC.
    package let layout: IIOScanLayout

    private let folder: AttributeFolder
    private let file: Descriptor
    private let bytes: UnsafeMutableRawBufferPointer
    /// Bytes at the front of `bytes` of a scan that is not whole yet.
    private var kept = 0

    private static let scansPerRead = 128

    /// Sets `device` up and starts it. Throws what the kernel refused, with the file; EBUSY when
    /// another program has the buffer, ENOENT when there is no trigger to start a sample.
    package init(_ device: IIODevice, _ configuration: Configuration) throws(SystemError) {
        folder = device.folder
        // First of all: the kernel gives it to one program at a time, but lets each of them stop the
        // buffer and change what it measures (`enable_store` of its industrialio-buffer.c).
        file = try Descriptor(opening: device.file, flags: O_RDONLY | O_NONBLOCK)
        let elements = AttributeFolder(path: "\(folder.path)/scan_elements")
        let buffer = AttributeFolder(path: "\(folder.path)/buffer")
        // What an earlier owner left running.
        try? buffer.write("enable", "0")
        let isMonotonic = (try? folder.write("current_timestamp_clock", "monotonic")) != nil
        var channels: [IIODevice.Channel] = []
        for channel in device.channels {
            let isWanted = configuration.channels.contains(channel.name) || channel.name == "timestamp" && isMonotonic
            try elements.write("in_\(channel.name)_en", isWanted ? "1" : "0")
            if isWanted { channels.append(channel) }
        }
        for attribute in configuration.attributes { try folder.write(attribute.name, attribute.value) }
        try Self.chooseTrigger(device)
        try buffer.write("length", "\(configuration.length)")
        if buffer.has("watermark") { try buffer.write("watermark", "\(configuration.watermark)") }
        layout = IIOScanLayout(channels.map { ($0.name, $0.index, $0.type) })
        bytes = .allocate(byteCount: max(1, layout.size) * Self.scansPerRead, alignment: 8)
        try buffer.write("enable", "1")
    }

    deinit {
        try? AttributeFolder(path: "\(folder.path)/buffer").write("enable", "0")
        bytes.deallocate()
    }

    /// Gives every scan that waits to `body`, oldest first; returns how many there were. Never blocks,
    /// allocates nothing. Throws ENODEV when the device is gone.
    package func read(_ body: (UnsafeRawBufferPointer) -> Void) throws(SystemError) -> Int {
        var scans = 0
        while let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[kept...])) {
            guard count > 0 else { throw SystemError(code: ENODEV, operation: "read", place: file.path) }
            let end = kept + count
            let whole = end / layout.size
            for scan in 0..<whole {
                body(UnsafeRawBufferPointer(rebasing: bytes[scan * layout.size..<(scan + 1) * layout.size]))
            }
            kept = end - whole * layout.size
            if kept > 0 { for index in 0..<kept { bytes[index] = bytes[whole * layout.size + index] } }
            scans += whole
            // Less than was asked for: no more waits. The limit bounds the time of one call.
            if end < bytes.count || scans > 1 << 16 { break }
        }
        return scans
    }

    /// A device that needs a trigger gets its own data-ready one, which drivers name
    /// after the device.
    private static func chooseTrigger(_ device: IIODevice) throws(SystemError) {
        let trigger = AttributeFolder(path: "\(device.folder.path)/trigger")
        guard let current = try? trigger.read("current_trigger"), current.isEmpty else { return }
        let number = device.node.drop { !$0.isNumber }
        let wanted = ["\(device.name)-trigger", "\(device.name)-dev\(number)"]
        for node in IIODevice.names(in: device.root.devices, prefix: "trigger") {
            let name = (try? AttributeFolder(path: "\(device.root.devices)/\(node)").read("name")) ?? ""
            if wanted.contains(name) { return try trigger.write("current_trigger", name) }
        }
        throw SystemError(
            code: ENOENT,
            operation:
                "find a trigger (connect the chip's interrupt line and name it in the overlay, or set a timer trigger) for",
            place: device.folder.path)
    }
}
