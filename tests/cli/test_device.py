"""--device: where there is no device, commands say what is missing; where there is one, they compute there."""
from support import CliTest, main, np, random_array, run


class Device(CliTest):
    def has_device(self):
        return run("bench", "--device", "cuda", "--shape", "8", "--ranks", "1", "--reps", "1").returncode == 0

    def test_a_missing_device_is_said_and_is_an_error(self):
        if self.has_device():
            self.skipTest("this machine has a device")
        np.save(self.path("x.npy"), random_array((8, 6)))
        for command in (["fft", self.path("x.npy"), self.path("y.npy")], ["bench", "--shape", "8x8"],
                        ["fuzz", "--cases", "2"], ["demo"]):
            self.assert_fails(run(*command, "--device", "cuda"), 1, "there is no CUDA device to compute on")
        self.assertFalse(self.path("y.npy").exists())

    def test_what_is_no_device_is_not_understood(self):
        self.assert_fails(run("fuzz", "--cases", "1", "--device", "abacus"), 2, "--device abacus is not known")
        self.assert_fails(run("fuzz", "--cases", "1", "--device", "cuda:x"), 2, "is no number of a device")

    def test_files_are_transformed_on_the_device(self):
        if not self.has_device():
            self.skipTest("there is no device")
        x = random_array((12, 10))
        np.save(self.path("x.npy"), x)
        done = run("fft", self.path("x.npy"), self.path("y.npy"), "--device", "cuda", "--ranks", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        np.testing.assert_allclose(np.load(self.path("y.npy")), np.fft.fftn(x), atol=1e-11)


if __name__ == "__main__":
    main()
