// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Brings the samples of a kernel-driven sensor into a ring and accounts for every missing one. `MeasuringPlan`
/// makes one for each such sensor of the board file.
///
/// Every frame is stamped with the kernel's own time of the sample, where the driver gives one. Gaps
/// between these times show what is missing: the kernel drops samples silently when they are not read
/// in time. Wakes up once per watermark. A device that goes away (its driver is unloaded, its adapter
/// unplugged) is looked for again under its name, at first often, then every 5 s, and set up again.
/// Used only on its bus thread, which calls `serve` when `due`: reading never blocks. Other threads may
/// read the counters.
package final class IIOReader: PolledDevice {
    /// When it next wants to be served: once the watermark should be reached.
    package private(set) var due: MonotonicTime
    /// What it has done; any thread may read them.
    package let counters: SensorCounters
    private var source: SourceDescription { sensor.source }

    private let sensor: IIOSensor
    private let ring: FrameRing<VectorFrame>
    private let place: ChipPlace
    /// Open while the device measures through a buffer.
    private var buffer: IIOBuffer?
    /// Set while the device measures and its driver has no buffer.
    private var unbuffered: IIODevice?
    /// The device as it was found last.
    private var device: IIODevice?
    /// Where the channels of a frame are in a scan, in the frame's order; and the time, nil without one.
    private var elements: [IIOScanLayout.Element] = []
    private var time: IIOScanLayout.Element?
    /// The temperature in the scans; nil where it is read from its attribute.
    private var scannedTemperature: IIOScanLayout.Element?
    /// When the temperature is recorded next, and the last one read, until a frame has carried it.
    private var temperatureDue = MonotonicTime.zero
    private var centidegrees = VectorFrame.noTemperature
    private var period: Duration
    /// The time of the newest sample that was read or counted as lost.
    private var accountedUntil: MonotonicTime
    /// When the buffer was started.
    private var began: MonotonicTime
    /// No sample came yet, and nothing failed: the time until the first sample is no gap.
    private var isBeginning = true
    /// Samples missing before the next frame, and why.
    private var lostBefore: UInt32 = 0
    private var reason: LossReason?
    /// The reason to give where the next sample shows a gap before it.
    private var nextGapReason = LossReason.deviceError
    private var retry = Backoff()

    /// Reads `sensor` from `start` on, when it is first due, into `ring`.
    package init(
        sensor: IIOSensor, ring: FrameRing<VectorFrame>, counters: SensorCounters = SensorCounters(),
        start: MonotonicTime
    ) {
        self.sensor = sensor
        self.ring = ring
        self.counters = counters
        period = .nanoseconds(Int64(1e9 / sensor.source.nominalRate))
        accountedUntil = start
        began = start
        due = start
        place = ChipPlace(
            device: sensor.source.location,
            chip: ChipIdentity(name: sensor.source.device, addresses: [], register: 0, value: 0))
    }

    /// Reads what waits; sets the device up where it is not.
    package func serve(at now: MonotonicTime) {
        if let unbuffered { return readSample(unbuffered, at: now) }
        guard let buffer else { return open(at: now) }
        if scannedTemperature == nil { readTemperature(at: now) }
        do throws(SystemError) {
            // The newest frame is pushed last: without times in the scans it is the only one that is stamped.
            var newest: VectorFrame?
            let count = try buffer.read { scan in
                if let newest { self.push(newest) }
                newest = self.takeFrame(scan)
            }
            if var newest {
                if time == nil { stamp(&newest, count: count, at: now) }
                push(newest)
            }
            count > 0 ? scheduleNext(at: now) : handleSilence(at: now)
        } catch {
            fail(.device(error), at: now)
        }
    }

    private func open(at now: MonotonicTime) {
        do throws(SystemError) {
            let device = try IIODevice.find(sensor.name, in: sensor.root)
            began = now
            guard sensor.hasBuffer else {
                for attribute in sensor.buffer.attributes { try device.folder.write(attribute.name, attribute.value) }
                (unbuffered, self.device) = (device, device)
                counters.countSetUp()
                due = now
                return
            }
            self.device = device
            // Some drivers give the temperature only while the buffer is off
            // (`iio_device_claim_direct_mode`).
            if sensor.thermometer?.isScanned == false { readTemperature(at: now, isForced: true) }
            let buffer = try IIOBuffer(device, sensor.buffer)
            elements = sensor.axes.compactMap { buffer.layout.element($0) }
            scannedTemperature = sensor.thermometer?.isScanned == true ? buffer.layout.element("temp") : nil
            time = buffer.layout.element("timestamp")
            self.buffer = buffer
            counters.countSetUp()
            due = now + period * sensor.watermark
            nextGapReason = .deviceError
        } catch {
            fail(.device(error), at: now)
        }
    }

    /// Reads one sample of a device without a buffer; samples due since the last one count as missing.
    private func readSample(_ device: IIODevice, at now: MonotonicTime) {
        do throws(SystemError) {
            var values = SIMD8<Int32>()
            for (index, channel) in sensor.axes.enumerated() { values[index] = try device.raw(channel) }
            readTemperature(at: now)
            _ = countGap(before: now)
            accountedUntil = now
            var frame = VectorFrame(values: values, count: UInt8(sensor.axes.count), time: now, isStamped: true)
            frame.lateBy = unknownAge
            push(frame)
            retry.reset()
            due = max(due + period, now)
            counters.endTrouble()
        } catch {
            fail(.device(error), at: now)
        }
    }

    /// Makes a frame of a scan: raw counts and, where the scan has it, the time of the sample; counts
    /// what is missing before it. Keeps the scan's temperature.
    private func takeFrame(_ scan: UnsafeRawBufferPointer) -> VectorFrame {
        var values = SIMD8<Int32>()
        for index in elements.indices {
            values[index] = Int32(truncatingIfNeeded: elements[index].type.value(scan, at: elements[index].offset))
        }
        var frame = VectorFrame(values: values, count: UInt8(elements.count))
        if let element = scannedTemperature {
            let counts = Double(element.type.value(scan, at: element.offset))
            keep(sensor.thermometer?.degrees(counts), since: accountedUntil)
        }
        guard let time else { return frame }
        frame.time = MonotonicTime(nanoseconds: time.type.value(scan, at: time.offset))
        frame.isStamped = true
        account(for: frame.time)
        return frame
    }

    /// Once a minute; after a failure tries again a minute later. `isForced`: whether due or not.
    private func readTemperature(at now: MonotonicTime, isForced: Bool = false) {
        guard isForced || now >= temperatureDue, let thermometer = sensor.thermometer, let device else { return }
        guard let degrees = try? device.temperature(thermometer) else {
            temperatureDue = now + Self.temperatureInterval
            return
        }
        keep(degrees, since: isForced ? max(now, temperatureDue) : now)
    }

    /// Keeps a reading of that moment for the next frame, unless one was kept less than a minute before.
    private func keep(_ degrees: Double?, since moment: MonotonicTime) {
        guard moment >= temperatureDue, let degrees else { return }
        temperatureDue = moment + Self.temperatureInterval
        centidegrees = Int16((degrees * 100).rounded())
    }

    /// As `ChipTemperature` has it.
    private static let temperatureInterval = Duration.seconds(60)

    /// Stamps the newest of `count` scans without times with the time of the read. Samples count as
    /// missing only after a silence of more than half of the buffer.
    private func stamp(_ frame: inout VectorFrame, count: Int, at now: MonotonicTime) {
        frame.time = now
        frame.isStamped = true
        frame.lateBy = unknownAge
        let missing = (now - accountedUntil).seconds / period.seconds - Double(count)
        if missing > Double(sensor.buffer.length / 2) { countLost(Int(missing), nextGapReason) }
        accountedUntil = now
        nextGapReason = .chipOverrun
    }

    /// How old a sample read without a time may be: a whole period, in microseconds.
    private var unknownAge: UInt32 { UInt32(clamping: max(1, period.nanoseconds / 1000)) }

    /// Counts what is missing before a sample of that time. An interval near one period also moves `period` by a
    /// 64th towards it, the true rate.
    private func account(for moment: MonotonicTime) {
        let periods = countGap(before: moment)
        if (0.8...1.2).contains(periods) { period = (period * 63 + (moment - accountedUntil)) / 64 }
        if moment > accountedUntil { accountedUntil = moment }
    }

    /// Returns the periods since the sample before, and counts more than one and a half as a gap;
    /// before the first sample only after a failure.
    private func countGap(before moment: MonotonicTime) -> Double {
        let periods = (moment - accountedUntil).seconds / period.seconds
        if periods > 1.5, !isBeginning { countLost(Int((periods - 1).rounded()), nextGapReason) }
        (nextGapReason, isBeginning) = (.chipOverrun, false)
        return periods
    }

    private func push(_ frame: VectorFrame) {
        var frame = frame
        frame.lostBefore = lostBefore
        frame.reason = reason?.rawValue ?? 0
        frame.centidegrees = centidegrees
        if ring.push(frame) {
            centidegrees = VectorFrame.noTemperature
            counters.countRead()
            lostBefore = 0
            reason = nil
        } else {
            countLost(1, .ringFull)
        }
    }

    private func countLost(_ count: Int, _ reason: LossReason) {
        counters.countLost(count, reason)
        lostBefore = UInt32(clamping: Int(lostBefore) + count)
        self.reason = self.reason ?? reason
    }

    /// A burst came.
    private func scheduleNext(at now: MonotonicTime) {
        retry.reset()
        due = now + period * sensor.watermark
        counters.endTrouble()
    }

    /// Nothing came: tries again a period later, and once patience has run out opens the device again.
    private func handleSilence(at now: MonotonicTime) {
        let patience = period * (2 * (sensor.watermark + 2)) + .milliseconds(500)
        guard now - max(accountedUntil, began) > patience else {
            due = now + period
            return
        }
        fail(.stalled, at: now)
    }

    /// Counts a fault and closes the device; it is opened again after a pause that grows.
    private func fail(_ fault: SensorFault.Cause, at now: MonotonicTime) {
        counters.countError(SensorFault(place: place, cause: fault), since: accountedUntil)
        buffer = nil
        unbuffered = nil
        (nextGapReason, isBeginning) = (.deviceError, false)
        due = now + retry.next()
    }
}
