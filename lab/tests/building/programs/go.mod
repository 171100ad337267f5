module programs

go 1.18
